/* Macros of headers that cppcheck does not read, in words that it understands. */
#pragma once

#define json_object_foreach(object, key, value)                                                    \
    for ((key) = first_key(object); (key) && ((value) = value_of(object, key)); (key) = next_key())

/* data/document.h: without _Generic */
#define FIELD(name, value) field_of(name, value)

/* tests/unit/test.h */
#define TEST(name) static void name(void **state)
#define TEST_IN_PLACE(name) static void name(void **state)
#define TEST_GROUP(start, stop)

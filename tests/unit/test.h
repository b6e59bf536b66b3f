/* A program of unit tests: its tests stand in one file, and main.c runs them. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* TEST(name) { ... } is a test; `state` is what the group's start made. */
#define TEST(name) TEST_BY(test_add, name)
/* One in a folder of its own: `*state` is a struct place (place.h). */
#define TEST_IN_PLACE(name) TEST_BY(test_add_in_place, name)

/* A constructor tells main of it before main begins. */
#define TEST_BY(add, name)                                                                         \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        add(#name, name);                                                                          \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* What goes before and after all of them. */
#define TEST_GROUP(start, stop)                                                                    \
    __attribute__((constructor)) static void set_group(void)                                       \
    {                                                                                              \
        test_group(start, stop);                                                                   \
    }

void test_add(const char *name, CMUnitTestFunction test);
void test_add_in_place(const char *name, CMUnitTestFunction test);
void test_group(CMFixtureFunction start, CMFixtureFunction stop);

/* Macros of foreign headers, which cppcheck does not read, in words that it understands. */
#ifndef TMPLGEN_CHECKS_CPPCHECK_H
#define TMPLGEN_CHECKS_CPPCHECK_H

#define json_object_foreach(object, key, value)                                                    \
    for ((key) = first_key(object); (key) && ((value) = value_of(object, key)); (key) = next_key())

#endif

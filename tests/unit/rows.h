/* Loops over the rows of a table: a test that fails in one says which. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* for (EACH_ROW(i, table, text)): `text`, or NULL, is what row i is known by. */
#define EACH_ROW(i, table, text)                                                                   \
    size_t i = 0;                                                                                  \
    row_begin(#table, i, COUNT(table)) && i < COUNT(table) && row_text(text);                      \
    i++

/* False behind the last row. Both keep what they are given, for a test that fails. */
bool row_begin(const char *table, size_t row, size_t count);
bool row_text(const char *text);

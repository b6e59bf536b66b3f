/* What a failing test says of the row of a table that it was at. */
#include "rows.h"
#include "test.h"

#include <ctype.h>
#include <stdio.h>

static const char *table_now, *text_now;
static size_t row_now;

bool row_begin(const char *table, size_t row, size_t count)
{
    table_now = row < count ? table : NULL;
    row_now = row;
    return row < count;
}

bool row_text(const char *text)
{
    text_now = text;
    return true;
}

static void print_row(void)
{
    (void)fprintf(stderr, "[   ROW    ] --- number %zu of '%s': ", row_now + 1, table_now);
    for (const char *c = text_now; c && *c; c++)
        (void)fprintf(stderr, isprint((unsigned char)*c) ? "%c" : "\\x%02X", (unsigned char)*c);
    (void)fputc('\n', stderr);
    table_now = NULL;
}

/* Takes the place of cmocka's, whose first word on a failure comes through here. */
void print_error(const char *const format, ...)
{
    va_list args;
    if (table_now)
        print_row();
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
}

/* Small helpers on text: spans, comparison, "did you mean". */
#pragma once

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct arena;
struct buf;

/* Several texts, borrowed. */
struct words {
    const char **items;
    size_t count;
};

static inline struct span span_from(const char *text)
{
    return span_of(text, strlen(text));
}

static inline bool span_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Compares bytewise: -1, 0 or 1. A prefix comes before the longer text. */
static inline int span_compare(struct span a, struct span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool span_starts(struct span text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len >= len && memcmp(text.ptr, prefix, len) == 0;
}

/* The value of a digit in any base up to 36 (letters of either case count from 10), else 99. */
static inline int str_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

bool str_equal(const char *a, const char *b); /* NULL equals only NULL */

static inline bool str_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static inline bool str_ends(const char *text, const char *suffix)
{
    size_t len = strlen(text), tail = strlen(suffix);
    return len >= tail && memcmp(text + len - tail, suffix, tail) == 0;
}

/* Adds a text. Only these functions may allocate `items`. */
void words_add(struct words *words, struct arena *arena, const char *text);
void words_printf(struct words *words, struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* `text` without those of its last bytes that are in `bytes`. */
struct span span_trim_end(struct span text, const char *bytes);
/* Takes the first line off `rest`; returns it without its newline. */
struct span span_cut_line(struct span *rest);
/* Index of the first struct in a sorted array whose text is not before `text`; else `count`. */
size_t str_lower_bound(const char *text, const void *items, size_t count, size_t size);
/* Compares structs that begin with a text, bytewise; for qsort and bsearch. */
int str_compare_first(const void *a, const void *b);
bool str_is_among(const char *text, const char *const *items, size_t count);
static inline bool words_have(const struct words *words, const char *text)
{
    return str_is_among(text, words->items, words->count);
}

/* Joins the items with `separator`. */
char *str_join(struct arena *arena, const char *const *items, size_t count, const char *separator);
/* Joins the first `most` items, each in quotes: "'a', 'b'". */
char *str_quoted(struct arena *arena, const char *const *items, size_t count, size_t most);
/* Adds how many of `count` items are missing in `list`, which shows `most`: "LIST and 3 more". */
const char *str_and_more(struct arena *arena, const char *list, size_t count, size_t most);

/*
 * The name nearest to `wrong` by edits (insert, delete, replace, swap of neighbours), or NULL if
 * none is near enough. Case does not count as an edit. The first of equally near names wins.
 */
const char *str_nearest(const char *wrong, const char *const *names, size_t count);
/* Whether it is exactly one of those edits from the other name. */
bool str_is_one_slip(const char *a, const char *b);

/*
 * Matches a shell-like glob with a whole path, by characters. `*`, `?` and the sets `[a-z]`,
 * `[!abc]` do not match '/'; `**` does. A part `**` with its slash matches any number of folders,
 * even none, so that `**` + `/x` matches `x`. `a/` + `**` matches all below a, but not a. A `[`
 * without `]` is an ordinary character. Patterns longer than LIMIT_PATH_BYTES match nothing.
 */
bool glob_match(const char *pattern, const char *path);
/* The same; adds the work done to `*work`: 1, plus the number of states followed. */
bool glob_match_counted(size_t *work, const char *pattern, const char *path);
/* A glob that matches this path alone. */
const char *glob_of_path(struct arena *arena, const char *path);

/*
 * Appends `text`, which begins in `column`, and a line end. Breaks lines at `width` characters
 * where words allow it, and indents continuation lines by `indent`. Keeps line ends of the text. No
 * line ends in a blank.
 */
void wrap_text(struct buf *out, const char *text, size_t column, size_t indent, size_t width);

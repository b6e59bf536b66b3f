/* Small helpers on text: spans, comparison, "did you mean". */
#pragma once

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct arena;
struct buf;

/* Several texts, owned by somebody else. */
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

/* The sign of their bytewise order; what another one begins with comes before that. */
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

/* The value of a digit of any base up to 36: 0 to 9, letters of both cases from 10 on; else 99. */
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

/* Adds one more; nothing else may have made `items`. */
void words_add(struct words *words, struct arena *arena, const char *text);
void words_printf(struct words *words, struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Without those of `bytes` that it ends in. */
struct span span_trim_end(struct span text, const char *bytes);
/* Takes the first line off `rest`; returns it without its newline. */
struct span span_cut_line(struct span *rest);
/* Index of the first such struct, of a sorted array, whose text is not before `text`. */
size_t str_lower_bound(const char *text, const void *items, size_t count, size_t size);
/* For qsort and bsearch of structs that begin with a text, bytewise. */
int str_compare_first(const void *a, const void *b);
bool str_is_among(const char *text, const char *const *items, size_t count);
static inline bool words_have(const struct words *words, const char *text)
{
    return str_is_among(text, words->items, words->count);
}

/* All of them with the separator between each two. */
char *str_join(struct arena *arena, const char *const *items, size_t count, const char *separator);
/* The first `most` of them in quotes: "'a', 'b'". */
char *str_quoted(struct arena *arena, const char *const *items, size_t count, size_t most);
/* `list` has at most `most` of `count` items: "LIST and 3 more". */
const char *str_and_more(struct arena *arena, const char *list, size_t count, size_t most);

/*
 * The name of `names` nearest to `wrong` by edits (insert, delete, replace, swap of neighbours), if
 * it is near enough to be what was meant; else NULL. Case does not count as an edit. Ties: the
 * first.
 */
const char *str_nearest(const char *wrong, const char *const *names, size_t count);

/*
 * Shell-like glob on whole paths, character by character: `*`, `?` and the sets `[a-z]`, `[!abc]`
 * do not match '/', `**` does; a part `**` with its slash matches any number of folders, also none,
 * so that `**` + `/x` matches `x`; `a/` + `**` matches everything below a, but not a. A `[` without
 * its `]` is a character like any other. Patterns longer than LIMIT_PATH_BYTES match nothing.
 */
bool glob_match(const char *pattern, const char *path);
/* The same; `*work` grows by what it took: 1, and the states that were followed. */
bool glob_match_counted(size_t *work, const char *pattern, const char *path);
/* A glob that matches this path alone. */
const char *glob_of_path(struct arena *arena, const char *path);

/*
 * Appends `text`, which begins in `column`, and a line end. Lines are `width` characters at most,
 * where their words allow, and go on at `indent`; line ends of the text stay. No line ends in a
 * blank.
 */
void wrap_text(struct buf *out, const char *text, size_t column, size_t indent, size_t width);

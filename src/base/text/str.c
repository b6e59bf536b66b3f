/* Small helpers on text: spans, comparison, "did you mean", globs, lines. */
#include "base/str.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

void words_add(struct words *words, struct arena *arena, const char *text)
{
    words->items = arena_grow(arena, words->items, words->count, sizeof(*words->items));
    words->items[words->count++] = text;
}

void words_printf(struct words *words, struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    words_add(words, arena, arena_vprintf(arena, format, args));
    va_end(args);
}

struct span span_trim_end(struct span text, const char *bytes)
{
    while (text.len && memchr(bytes, text.ptr[text.len - 1], strlen(bytes)))
        text.len--;
    return text;
}

struct span span_cut_line(struct span *rest)
{
    const char *newline = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
    size_t len = newline ? (size_t)(newline - rest->ptr) : rest->len;
    struct span line = span_of(rest->ptr, len);
    *rest = span_of(rest->ptr + len + !!newline, rest->len - len - !!newline);
    return line;
}

bool str_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

int str_compare_first(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t str_lower_bound(const char *text, const void *items, size_t count, size_t size)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(*(const char *const *)((const char *)items + middle * size), text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool str_is_among(const char *text, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(items[i], text))
            return true;
    return false;
}

char *str_join(struct arena *arena, const char *const *items, size_t count, const char *separator)
{
    size_t len = 0, between = strlen(separator);
    for (size_t i = 0; i < count; i++)
        len += strlen(items[i]) + between;
    char *text = arena_alloc(arena, len + 1), *end = text;
    for (size_t i = 0; i < count; i++) {
        end = stpcpy(end, i ? separator : "");
        end = stpcpy(end, items[i]);
    }
    return text;
}

char *str_quoted(struct arena *arena, const char *const *items, size_t count, size_t most)
{
    char *list = str_join(arena, items, count < most ? count : most, "', '");
    return *list ? arena_printf(arena, "'%s'", list) : list;
}

const char *str_and_more(struct arena *arena, const char *list, size_t count, size_t most)
{
    return count > most ? arena_printf(arena, "%s and %zu more", list, count - most) : list;
}

#define NEAREST_MAX 64 /* longer names are never suggested */
#define SLIP_LETTERS 7 /* longer names may have one more slip per so many letters */

static int fold(char c)
{
    return tolower((unsigned char)c);
}

/* Damerau's distance (optimal string alignment): insert, delete, replace, swap of neighbours. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][NEAREST_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t best = above[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b_len];
}

bool str_is_one_slip(const char *a, const char *b)
{
    size_t a_len = strnlen(a, NEAREST_MAX + 1), b_len = strnlen(b, NEAREST_MAX + 1);
    return a_len <= NEAREST_MAX && b_len <= NEAREST_MAX && edit_distance(a, a_len, b, b_len) == 1;
}

const char *str_nearest(const char *wrong, const char *const *names, size_t count)
{
    size_t len = strlen(wrong), best = len / SLIP_LETTERS + 1;
    const char *nearest = NULL;
    if (len == 0 || len > NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_len = strnlen(names[i], NEAREST_MAX + 1);
        if (name_len > NEAREST_MAX || name_len > len + best || len > name_len + best)
            continue; /* the difference in length is the minimum of edits */
        size_t distance = edit_distance(wrong, len, names[i], name_len);
        if (distance < best || (distance == best && !nearest && distance < name_len)) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

/*
 * Matching follows a set of states, each an index into the pattern. The time is at most the product
 * of both lengths, whatever the pattern.
 */
struct glob {
    struct span pattern;
    bool marked[LIMIT_PATH_BYTES + 1];
    size_t states[LIMIT_PATH_BYTES + 1];
    size_t count;
};

/* The next character; an invalid byte counts as a character of its own. */
static uint32_t glob_character(struct span text, size_t *pos)
{
    size_t start = *pos;
    uint32_t c = utf8_next(text, pos);
    return c == UTF8_INVALID ? 0x80000000U | (unsigned char)text.ptr[start] : c;
}

static char glob_byte(struct span pattern, size_t at)
{
    return at < pattern.len ? pattern.ptr[at] : '\0';
}

static bool is_deep(struct span pattern, size_t at)
{
    return glob_byte(pattern, at) == '*' && glob_byte(pattern, at + 1) == '*';
}

/* Whether "**" and a slash begin a part here: they match any number of folders, including none. */
static bool is_folders(struct span pattern, size_t at)
{
    return is_deep(pattern, at) && glob_byte(pattern, at + 2) == '/' &&
           (at == 0 || pattern.ptr[at - 1] == '/');
}

static void glob_add(struct glob *glob, size_t state)
{
    if (glob->marked[state])
        return;
    glob->marked[state] = true;
    glob->states[glob->count++] = state;
}

/* Adds a state, and the states behind wildcards that match nothing. */
static void glob_enter(struct glob *glob, size_t state)
{
    for (;;) {
        glob_add(glob, state);
        if (is_folders(glob->pattern, state))
            state += 3;
        else if (is_deep(glob->pattern, state))
            state += 2;
        else if (glob_byte(glob->pattern, state) == '*')
            state += 1;
        else
            return;
    }
}

/* The end of the set whose '[' is just before `at`; 0 if it has none. `!` or `^` negate the set. */
static size_t match_set(bool *matched, struct span pattern, size_t at, uint32_t c)
{
    size_t pos = at + 1;
    bool negated = glob_byte(pattern, pos) == '!' || glob_byte(pattern, pos) == '^', found = false;
    pos += negated;
    for (bool first = true; first || glob_byte(pattern, pos) != ']'; first = false) {
        if (pos >= pattern.len)
            return 0;
        uint32_t low = glob_character(pattern, &pos), high = low;
        if (glob_byte(pattern, pos) == '-' && pos + 1 < pattern.len &&
            pattern.ptr[pos + 1] != ']') {
            pos++;
            high = glob_character(pattern, &pos);
        }
        found |= low <= c && c <= high;
    }
    *matched = found != negated;
    return pos + 1;
}

/* Adds the states that one character of the path leads to from `state`. */
static void glob_step(struct glob *next, size_t state, uint32_t c)
{
    struct span pattern = next->pattern;
    size_t pos = state, end;
    bool matched = false;
    if (is_folders(pattern, state) && c != '/') {
        glob_add(next, state); /* still inside a folder name */
        return;
    }
    if (is_deep(pattern, state) || (glob_byte(pattern, state) == '*' && c != '/')) {
        glob_enter(next, state);
        return;
    }
    if (state >= pattern.len || pattern.ptr[state] == '*')
        return;
    if (pattern.ptr[state] == '?' && c != '/')
        glob_enter(next, state + 1);
    else if (pattern.ptr[state] == '[' && (end = match_set(&matched, pattern, state, c)) != 0) {
        if (matched && c != '/')
            glob_enter(next, end);
    } else if (glob_character(pattern, &pos) == c)
        glob_enter(next, pos);
}

static void glob_start(struct glob *glob, struct span pattern)
{
    glob->pattern = pattern;
    glob->count = 0;
    memset(glob->marked, 0, pattern.len + 1);
}

bool glob_match(const char *pattern, const char *path)
{
    size_t work = 0;
    return glob_match_counted(&work, pattern, path);
}

bool glob_match_counted(size_t *work, const char *pattern, const char *path)
{
    struct glob globs[2], *now = &globs[0], *next = &globs[1];
    struct span glob = span_from(pattern), text = span_from(path);
    size_t plain = strcspn(pattern, "*?["); /* most globs and paths differ here already */
    ++*work;
    if (glob.len > LIMIT_PATH_BYTES || strncmp(pattern, path, plain) != 0)
        return false;
    glob_start(now, glob);
    glob_enter(now, 0);
    for (size_t pos = 0; pos < text.len && now->count;) {
        uint32_t c = glob_character(text, &pos);
        glob_start(next, glob);
        *work += now->count;
        for (size_t i = 0; i < now->count; i++)
            glob_step(next, now->states[i], c);
        struct glob *spare = now;
        now = next;
        next = spare;
    }
    return now->marked[glob.len];
}

const char *glob_of_path(struct arena *arena, const char *path)
{
    static const char special[] = "*?[";
    char *exact = arena_alloc(arena, 3 * strlen(path) + 1), *to = exact;
    char *loose = arena_strdup(arena, path);
    for (const char *at = path; *at; at++) {
        bool plain = !strchr(special, *at);
        *to++ = plain ? *at : '[';
        if (!plain) {
            *to++ = *at;
            *to++ = ']';
        }
    }
    *to = '\0';
    if (to - exact <= (long)LIMIT_PATH_BYTES)
        return exact;
    for (char *at = loose; (at = strpbrk(at, special));)
        *at = '?';
    return loose;
}

void wrap_text(struct buf *out, const char *text, size_t column, size_t indent, size_t width)
{
    size_t blanks = 0;
    while (*text) {
        size_t bytes = strcspn(text, " \n"), len = utf8_count(span_of(text, bytes));
        if (bytes && column > indent && column + blanks + len > width) {
            (void)buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (bytes) {
            (void)buf_printf(out, "%*s", (int)blanks, "");
            column += blanks;
        }
        (void)buf_append(out, text, bytes);
        column += len;
        blanks = bytes ? 0 : blanks;
        text += bytes;
        if (*text == '\n') {
            (void)buf_printf(out, "\n%*s", text[1] && text[1] != '\n' ? (int)indent : 0, "");
            column = indent;
            blanks = 0;
        }
        blanks += *text == ' ';
        text += *text != '\0';
    }
    (void)buf_putc(out, '\n');
}

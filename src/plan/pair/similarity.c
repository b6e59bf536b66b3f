/* How much of one file's content is found in another. */
#include "plan/similarity.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 64, PERCENT = 60 };

struct piece {
    uint64_t hash;
    size_t bytes; /* of all pieces with that hash */
    bool idle;    /* blank, or of a comment */
};

/* FNV-1a */
static uint64_t hash_piece(struct span piece)
{
    uint64_t hash = 14695981039346656037ULL;
    for (size_t i = 0; i < piece.len; i++)
        hash = (hash ^ (unsigned char)piece.ptr[i]) * 1099511628211ULL;
    return hash;
}

static struct span skip(struct span text, size_t len)
{
    return span_of(text.ptr + len, text.len - len);
}

static bool begins(struct span line, const char *with)
{
    return line.len >= strlen(with) && memcmp(line.ptr, with, strlen(with)) == 0;
}

/* By its looks in most languages; `#include` and `#id` are none. */
static bool is_idle(struct span line)
{
    static const char *const marks[] = {"//", "/*", "*/", "* ", "--", ";", "<!--", "-->"};
    while (line.len && strchr(" \t\r\f", *line.ptr))
        line = skip(line, 1);
    if (line.len == 0 || (line.len == 1 && *line.ptr == '*'))
        return true;
    if (*line.ptr == '#')
        return line.len == 1 || strchr(" \t#!-=*", line.ptr[1]);
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
        if (begins(line, marks[i]))
            return true;
    return false;
}

/* A line without its end; how long it is with it, CRLF counting as one. */
static struct span next_line(size_t *bytes, struct span *content)
{
    const char *newline = memchr(content->ptr, '\n', content->len);
    size_t len = newline ? (size_t)(newline - content->ptr) : content->len;
    struct span line = span_of(content->ptr, len);
    *content = skip(*content, len + !!newline);
    if (newline && len && line.ptr[len - 1] == '\r')
        line.len--;
    *bytes = line.len + !!newline;
    return line;
}

static int by_hash(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    return left->hash < right->hash ? -1 : left->hash > right->hash;
}

/* The pieces of one line; where `out` is NULL they are counted. */
static size_t cut_line(struct piece *out, struct span line, size_t bytes)
{
    bool idle = is_idle(line);
    size_t count = 0;
    do {
        size_t len = line.len < PIECE_MAX ? line.len : PIECE_MAX;
        bool last = len == line.len;
        if (out)
            out[count] =
                (struct piece){hash_piece(span_of(line.ptr, len)), last ? bytes : len, idle};
        bytes -= last ? 0 : len;
        line = skip(line, len);
        count++;
    } while (line.len);
    return count;
}

static size_t cut(struct piece *out, struct bag *bag, struct span content)
{
    size_t count = 0, bytes;
    bag->bytes = 0;
    while (content.len) {
        struct span line = next_line(&bytes, &content);
        count += cut_line(out ? out + count : NULL, line, bytes);
        bag->bytes += bytes;
    }
    return count;
}

void bag_make(struct bag *out, struct arena *arena, struct span content)
{
    size_t count = cut(NULL, out, content), kept = 0;
    struct piece *pieces = arena_array(arena, count + 1, sizeof(*pieces));
    (void)cut(pieces, out, content);
    if (count)
        qsort(pieces, count, sizeof(*pieces), by_hash);
    for (size_t i = 0; i < count; i++)
        if (kept && pieces[kept - 1].hash == pieces[i].hash)
            pieces[kept - 1].bytes += pieces[i].bytes;
        else
            pieces[kept++] = pieces[i];
    out->pieces = pieces;
    out->count = kept;
}

bool sizes_similar(size_t a, size_t b)
{
    size_t smaller = a < b ? a : b, larger = a < b ? b : a;
    return smaller * 100 > larger * PERCENT;
}

/* Bytes that two bags have in common, and that each has in all. */
struct amount {
    size_t common, left, right;
};

/* Without the pieces in `without` (or NULL). */
struct overlap {
    struct amount all;
    struct amount busy; /* of that, neither blank nor comment */
};

static bool has(const struct common *common, uint64_t hash)
{
    size_t low = 0, high = common ? common->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (common->hashes[middle] == hash)
            return true;
        if (common->hashes[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static size_t weigh(const struct bag *bag, const struct common *without, bool busy)
{
    size_t bytes = 0;
    for (size_t i = 0; i < bag->count; i++)
        if (!has(without, bag->pieces[i].hash) && !(busy && bag->pieces[i].idle))
            bytes += bag->pieces[i].bytes;
    return bytes;
}

static struct overlap overlap(const struct bag *a, const struct bag *b,
                              const struct common *without)
{
    struct overlap o = {.all = {0, weigh(a, without, false), weigh(b, without, false)},
                        .busy = {0, weigh(a, without, true), weigh(b, without, true)}};
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct piece *left = &a->pieces[i], *right = &b->pieces[j];
        if (left->hash == right->hash && !has(without, left->hash)) {
            size_t bytes = left->bytes < right->bytes ? left->bytes : right->bytes;
            o.all.common += bytes;
            o.busy.common += left->idle ? 0 : bytes;
        }
        i += left->hash <= right->hash;
        j += right->hash <= left->hash;
    }
    return o;
}

static bool is_enough(const struct amount *amount)
{
    size_t larger = amount->left > amount->right ? amount->left : amount->right;
    return amount->common * 100 > larger * PERCENT;
}

size_t bag_common(const struct bag *a, const struct bag *b)
{
    return overlap(a, b, NULL).all.common;
}

bool bag_similar(const struct bag *a, const struct bag *b)
{
    if (!sizes_similar(a->bytes, b->bytes))
        return false;
    struct overlap o = overlap(a, b, NULL);
    return is_enough(&o.all);
}

bool bag_proves(const struct bag *a, const struct bag *b, const struct common *common)
{
    struct overlap o = overlap(a, b, common);
    return o.all.common >= CONTENT_MIN && is_enough(&o.all) && is_enough(&o.busy);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

void common_add(struct common *common, struct arena *arena, const struct bag *bags, size_t count,
                size_t least)
{
    size_t all = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        all += bags[i].count;
    uint64_t *hashes = arena_array(arena, common->count + all + 1, sizeof(*hashes));
    uint64_t *found = hashes + common->count;
    if (common->count)
        memcpy(hashes, common->hashes, common->count * sizeof(*hashes));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < bags[i].count; j++)
            found[at++] = bags[i].pieces[j].hash;
    if (all)
        qsort(found, all, sizeof(*found), by_value);
    common->hashes = hashes;
    for (size_t i = 0, first = 0; i < all; i++) {
        if (found[i] != found[first])
            first = i;
        if (i - first + 1 == least)
            hashes[common->count++] = found[i];
    }
}

void common_sort(struct common *common)
{
    if (common->count)
        qsort(common->hashes, common->count, sizeof(*common->hashes), by_value);
}

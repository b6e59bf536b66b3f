/* Measures how much of one file's content is found in another. */
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

/* True for a blank line and for a comment of most languages; `#include` and `#id` are none. */
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

/* Compares hashes, or structs that begin with one. */
static int by_hash(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

/* Takes a line without its end. `bytes` is its length with the end; CRLF counts as one. */
static struct span next_line(size_t *bytes, struct span *content)
{
    size_t before = content->len;
    struct span line = span_cut_line(content);
    bool ended = before - content->len > line.len;
    if (ended && line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    *bytes = line.len + ended;
    return line;
}

/* Cuts one line into pieces, and returns their number; `out` may be NULL. */
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

/* Bytes that two bags have in common, and the bytes of each. */
struct amount {
    size_t common, left, right;
};

/* The overlap without the pieces in `without` (or NULL). */
struct overlap {
    struct amount all;
    struct amount busy; /* of that, neither blank nor comment */
};

static bool has(const struct shared_pieces *shared, uint64_t hash)
{
    return shared && shared->count &&
           bsearch(&hash, shared->hashes, shared->count, sizeof(hash), by_hash);
}

static size_t weigh(const struct bag *bag, const struct shared_pieces *without, bool busy)
{
    size_t bytes = 0;
    for (size_t i = 0; i < bag->count; i++)
        if (!has(without, bag->pieces[i].hash) && !(busy && bag->pieces[i].idle))
            bytes += bag->pieces[i].bytes;
    return bytes;
}

static struct overlap overlap(const struct bag *a, const struct bag *b,
                              const struct shared_pieces *without)
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

bool bag_proves(const struct bag *a, const struct bag *b, const struct shared_pieces *shared)
{
    struct overlap o = overlap(a, b, shared);
    return o.all.common >= CONTENT_MIN && is_enough(&o.all) && is_enough(&o.busy);
}

void shared_pieces_add(struct shared_pieces *shared, struct arena *arena, const struct bag *bags,
                       size_t count, size_t least)
{
    size_t all = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        all += bags[i].count;
    uint64_t *hashes = arena_array(arena, shared->count + all + 1, sizeof(*hashes));
    uint64_t *found = hashes + shared->count;
    if (shared->count)
        memcpy(hashes, shared->hashes, shared->count * sizeof(*hashes));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < bags[i].count; j++)
            found[at++] = bags[i].pieces[j].hash;
    qsort(found, all, sizeof(*found), by_hash);
    shared->hashes = hashes;
    for (size_t i = 0, first = 0; i < all; i++) {
        if (found[i] != found[first])
            first = i;
        if (i - first + 1 == least)
            hashes[shared->count++] = found[i];
    }
}

void shared_pieces_sort(struct shared_pieces *shared)
{
    if (shared->count)
        qsort(shared->hashes, shared->count, sizeof(*shared->hashes), by_hash);
}

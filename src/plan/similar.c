/* How much of one file's content is found in another. */
#include "plan/similar.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 64, PERCENT = 60 };

struct piece {
    uint64_t hash;
    size_t bytes; /* of all pieces with that hash */
};

/* FNV-1a */
static uint64_t hash_piece(struct span piece)
{
    uint64_t hash = 14695981039346656037ULL;
    for (size_t i = 0; i < piece.len; i++)
        hash = (hash ^ (unsigned char)piece.ptr[i]) * 1099511628211ULL;
    return hash;
}

static struct span next_piece(struct span *content)
{
    size_t len = content->len < PIECE_MAX ? content->len : PIECE_MAX;
    const char *end = memchr(content->ptr, '\n', len);
    struct span piece = span_of(content->ptr, end ? (size_t)(end - content->ptr) + 1 : len);
    *content = span_of(content->ptr + piece.len, content->len - piece.len);
    return piece;
}

static int by_hash(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;
    return left->hash < right->hash ? -1 : left->hash > right->hash;
}

void bag_make(struct bag *out, struct arena *arena, struct span content)
{
    size_t count = 0, kept = 0;
    *out = (struct bag){.bytes = content.len};
    for (struct span rest = content; rest.len; count++)
        (void)next_piece(&rest);
    struct piece *pieces = arena_array(arena, count + 1, sizeof(*pieces));
    for (size_t i = 0; i < count; i++) {
        struct span piece = next_piece(&content);
        pieces[i] = (struct piece){hash_piece(piece), piece.len};
    }
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

bool bag_similar(const struct bag *a, const struct bag *b)
{
    size_t common = 0;
    if (!sizes_similar(a->bytes, b->bytes))
        return false;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct piece *left = &a->pieces[i], *right = &b->pieces[j];
        if (left->hash == right->hash)
            common += left->bytes < right->bytes ? left->bytes : right->bytes;
        i += left->hash <= right->hash;
        j += right->hash <= left->hash;
    }
    return common * 100 > (a->bytes > b->bytes ? a->bytes : b->bytes) * PERCENT;
}

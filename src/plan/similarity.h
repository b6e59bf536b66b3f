/* How much of one file's content is found in another. */
#ifndef TMPLGEN_SIMILARITY_H
#define TMPLGEN_SIMILARITY_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Bytes that a file needs to be known by its content. */
enum { CONTENT_MIN = 64 };

/* The content as a bag of pieces: lines without their ends, or 64 bytes of a longer line. */
struct bag {
    struct piece *pieces; /* sorted by hash, each once */
    size_t count;
    size_t bytes; /* CRLF counts as one */
};

void bag_make(struct bag *out, struct arena *arena, struct span content);
/* True where more than 60 % of the larger one's bytes lie in pieces that both have. */
bool bag_similar(const struct bag *a, const struct bag *b);
/* Bytes of pieces that both have. */
size_t bag_common(const struct bag *a, const struct bag *b);
/* True where sizes alone do not rule it out. */
bool sizes_similar(size_t a, size_t b);

/* Pieces that several files of one tree have, such as licence headers: they prove nothing. */
struct common {
    uint64_t *hashes; /* sorted once common_sort was called */
    size_t count;
};

/* Adds what at least so many of the bags have. */
void common_add(struct common *common, struct arena *arena, const struct bag *bags, size_t count,
                size_t least);
void common_sort(struct common *common);
/*
 * True where the two are similar by what is left without common pieces, of which they share at
 * least CONTENT_MIN bytes, and by what of that is neither blank nor a comment: it is the same file.
 */
bool bag_proves(const struct bag *a, const struct bag *b, const struct common *common);

#endif

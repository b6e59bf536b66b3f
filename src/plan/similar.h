/* How much of one file's content is found in another. */
#ifndef TMPLGEN_PLAN_SIMILAR_H
#define TMPLGEN_PLAN_SIMILAR_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* The content as a bag of pieces: lines, or 64 bytes of a longer line. */
struct bag {
    struct piece *pieces; /* sorted by hash, each once */
    size_t count;
    size_t bytes;
};

void bag_make(struct bag *out, struct arena *arena, struct span content);
/* True where more than 60 % of the larger one's bytes lie in pieces that both have. */
bool bag_similar(const struct bag *a, const struct bag *b);
/* True where sizes alone do not rule it out. */
bool sizes_similar(size_t a, size_t b);

#endif

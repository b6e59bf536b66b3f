/* Measures how much of one file's content is found in another. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Smaller files are not recognized by their content. */
enum { CONTENT_MIN = 64 };

/* The content as a bag of pieces: a line without its end, or 64 bytes of a longer line. */
struct bag {
    struct piece *pieces; /* sorted by hash, each once */
    size_t count;
    size_t bytes; /* CRLF counts as one */
};

void bag_make(struct bag *out, struct arena *arena, struct span content);
/* True where more than 60 % of the larger one's bytes lie in shared pieces. */
bool bag_similar(const struct bag *a, const struct bag *b);
/* The bytes of the pieces that both have. */
size_t bag_common(const struct bag *a, const struct bag *b);
/* False where files of these sizes cannot be similar. */
bool sizes_similar(size_t a, size_t b);

/* Pieces that several files of one tree have, such as licence headers: they prove nothing. */
struct shared_pieces {
    uint64_t *hashes; /* sorted after shared_pieces_sort */
    size_t count;
};

/* Adds the pieces that at least `least` of the bags have. */
void shared_pieces_add(struct shared_pieces *shared, struct arena *arena, const struct bag *bags,
                       size_t count, size_t least);
void shared_pieces_sort(struct shared_pieces *shared);
/*
 * True where both are the same file. They must be similar, and have at least CONTENT_MIN bytes in
 * common, without the shared pieces; and be similar without blank lines and comments, too.
 */
bool bag_proves(const struct bag *a, const struct bag *b, const struct shared_pieces *shared);

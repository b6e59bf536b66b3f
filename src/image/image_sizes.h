/* How large images are, and what they have in common, as an engine has them. */
#ifndef TMPLGEN_IMAGE_SIZES_H
#define TMPLGEN_IMAGE_SIZES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct engine;
struct image_row;

struct layer_size {
    int64_t bytes;                   /* uncompressed */
    const char *digest;              /* or NULL: not known */
    const struct image_row **shared; /* other rows that have it too; NULL behind the last */
    bool counted;                    /* an earlier row has it */
};

struct image_size {
    bool known;                /* the engine has an image of that name */
    int64_t bytes;             /* of all layers */
    struct layer_size *layers; /* the base's first */
    size_t layer_count;
};

/*
 * Asks for all rows by their names; `*out` has one for each. What the engine does not have is not
 * known; -1 where it says anything else than that.
 */
TG_CHECKED int image_sizes(struct image_size **out, struct arena *arena,
                           const struct engine *engine, const struct image_row *rows, size_t count,
                           struct err *err);

#endif

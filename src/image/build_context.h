/* The build context of a row: its Dockerfile and what is copied from beside it. */
#ifndef TMPLGEN_BUILD_CONTEXT_H
#define TMPLGEN_BUILD_CONTEXT_H

#include "base/err.h"
#include "catalog/render.h"

#include <stddef.h>

struct arena;
struct catalog;
struct image_row;
struct lock;

/*
 * Renders the files of a row, in memory. A pure function of catalog, row and lock, but for an image
 * that holds the running program.
 */
TG_CHECKED int image_context(struct render *out, struct arena *arena, const struct catalog *catalog,
                             const struct image_row *row, const struct lock *lock, struct err *err);
/*
 * Makes OUTPUT/NAME/TAG with these files, all or nothing. A folder that holds just them is left
 * alone, and one that holds what was rendered before, unchanged, is replaced: a file in
 * `marks`, which may be NULL, says what that was. Anything else there is refused with 3,
 * "target-not-empty". `*path` is OUTPUT/NAME/TAG.
 */
TG_CHECKED int image_context_write(const char **path, struct arena *arena, const char *output,
                                   const char *marks, const struct image_row *row,
                                   const struct render *files, struct err *err);

/* The contexts of several rows. */
struct image_contexts {
    const struct catalog *catalog;
    const struct image_row *rows;
    size_t count;
    const struct lock *lock;
    const char *output;
    const char *marks; /* as above */
};

/*
 * Renders all and looks at what lies where they go, so that nothing is written where one of them
 * cannot be. `*paths` has the folder of each.
 */
TG_CHECKED int image_contexts_check(const char ***paths, struct arena *arena,
                                    const struct image_contexts *what, struct err *err);
/* Makes the folders of all, each as image_context_write does. */
TG_CHECKED int image_contexts_write(struct arena *arena, const struct image_contexts *what,
                                    struct err *err);

#endif

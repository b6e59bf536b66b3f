/* The build context of a row: its Dockerfile and what is copied from beside it. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "catalog/render.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog;
struct data;
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

/* ------------------------------------------------------------------ what an earlier run wrote */

#define MARK_BYTES_MAX (32 * LIMIT_MIB)

/*
 * Notes `text` of what lies at `place`, in the folder `marks`, which may be NULL. Without a mark
 * something is only not replaced: nothing depends on this.
 */
void last_written_keep(const char *marks, const char *place, struct span text);
/* What was noted of it last. */
bool last_written_read(struct span *out, struct arena *arena, const char *marks, const char *place);

/* ------------------------------------------------------------------ bake files */

/* A row on its way into the file. */
struct bake_row {
    const struct image_row *row;
    const char *context;          /* the folder with its Dockerfile */
    const struct data *platforms; /* a list of "linux/amd64", ... */
};

/*
 * The document of docker-bake.json, as https://docs.docker.com/build/bake/reference/ has it, and a
 * list of {name, image, tag, platforms, context}. `registry` NULL: without a cache.
 */
struct data *bake_document(struct data **targets, struct arena *arena, const struct bake_row *rows,
                           size_t count, const char *registry);
/*
 * Makes the contexts and writes the document to `path`, or neither where either cannot be. What was
 * baked there before, unchanged, is replaced (contexts->marks knows); a file that says anything
 * else is refused with 3, "target-not-empty".
 */
TG_CHECKED int bake_write(struct arena *arena, const char *path, const struct data *document,
                          const struct image_contexts *contexts, struct err *err);

/* The build context of a row: its Dockerfile and the files that it copies. */
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
 * Renders the files of a row, in memory. A pure function of catalog, row and lock, except for an
 * image that contains the running program.
 */
TG_CHECKED int image_context(struct render *out, struct arena *arena, const struct catalog *catalog,
                             const struct image_row *row, const struct lock *lock, struct err *err);
/*
 * Makes OUTPUT/NAME/TAG with these files, all or nothing. Leaves a folder alone that has exactly
 * these files. Replaces one that has the files of an earlier render, unchanged: a file in `marks`,
 * which may be NULL, tells those. Refuses any other with 3, "target-not-empty". `*path` is
 * OUTPUT/NAME/TAG.
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
 * Renders all contexts and checks their places, so that nothing is written where one of them cannot
 * be. `*paths` has the folder of each.
 */
TG_CHECKED int image_contexts_check(const char ***paths, struct arena *arena,
                                    const struct image_contexts *what, struct err *err);
/* Makes the folders of all contexts, each as image_context_write does. */
TG_CHECKED int image_contexts_write(struct arena *arena, const struct image_contexts *what,
                                    struct err *err);

/* ------------------------------------------------------------------ marks of earlier runs */

#define MARK_BYTES_MAX (32 * LIMIT_MIB)

/*
 * Notes `text` for the content at `place`, in the folder `marks`, which may be NULL. Without a
 * mark, that content is only not replaced: nothing depends on this.
 */
void last_written_keep(const char *marks, const char *place, struct span text);
/* Reads the last note for `place`. */
bool last_written_read(struct span *out, struct arena *arena, const char *marks, const char *place);

/* ------------------------------------------------------------------ bake files */

/* A row for the bake file. */
struct bake_row {
    const struct image_row *row;
    const char *context;          /* the folder with its Dockerfile */
    const struct data *platforms; /* a list of "linux/amd64", ... */
};

/*
 * The document of docker-bake.json (https://docs.docker.com/build/bake/reference/), and a list of
 * {name, image, tag, platforms, context}. `registry` NULL: without a cache.
 */
struct data *bake_document(struct data **targets, struct arena *arena, const struct bake_row *rows,
                           size_t count, const char *registry);
/*
 * Makes the contexts and writes the document to `path`, or neither where either cannot be. Replaces
 * an earlier bake file that is unchanged (contexts->marks tells); refuses any other with 3,
 * "target-not-empty".
 */
TG_CHECKED int bake_write(struct arena *arena, const char *path, const struct data *document,
                          const struct image_contexts *contexts, struct err *err);

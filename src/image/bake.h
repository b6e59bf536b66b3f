/* A bake file: all rows as targets of BuildKit. */
#ifndef TMPLGEN_BAKE_H
#define TMPLGEN_BAKE_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct data;
struct image_contexts;
struct image_row;

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

#endif

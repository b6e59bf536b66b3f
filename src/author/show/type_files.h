/* The parts of a type, or of a base image: the layers that it may take, and all their files. */
#pragma once

#include "base/err.h"
#include "catalog/manifest.h"

#include <stdbool.h>
#include <stddef.h>

/* A layer that may be taken: a use with a rendered name may mean any of several. */
struct type_layer {
    struct layer layer;          /* with the overrides of its use */
    const struct layer_use *use; /* NULL: the type's own files */
    size_t order;                /* of its use; layers of one use exclude each other */
    bool broken; /* its manifest cannot be read: nothing is known of its files' rules */
};

/* A file of such a layer. */
struct type_file {
    const struct type_layer *layer;
    const char *source;  /* path in the catalog */
    size_t index;        /* in the catalog's files */
    const char *path;    /* in the project; may hold {{ }} */
    const char *pattern; /* the same as a glob, with '*' for rendered parts */
    const char *example; /* a possible path */
    bool executable, is_template;
};

struct type_files {
    const struct manifest *manifest;
    struct type_layer *layers;
    size_t layer_count;
    struct type_file *files; /* in the order of the layers */
    size_t file_count;
};

/*
 * Everything lives in the arena. A missing layer is reported to `broken` and left out. An
 * unreadable one is reported, too, and only its files are kept. Where `broken` is NULL, it fails.
 */
TG_CHECKED int type_files_gather(struct type_files *out, struct arena *arena,
                                 const struct fileset *files, const struct manifest *manifest,
                                 void (*broken)(void *context, const struct err *err),
                                 void *context, struct err *err);

/* True where two paths may be equal, depending on their rendered parts. */
bool type_files_may_meet(const struct type_file *a, const struct type_file *b);
/* True where a glob may match the file's path. */
bool type_files_may_match(const char *glob, const struct type_file *file);
/* True where `overrides` of the file's layer has that path. */
bool type_files_overrides(const struct type_file *file);

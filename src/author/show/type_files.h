/* What a type, or a base image, is made of: the layers that it may take, and all their files. */
#pragma once

#include "base/err.h"
#include "catalog/manifest.h"

#include <stdbool.h>
#include <stddef.h>

/* A layer that may be taken: a use whose name is rendered may be any of several. */
struct type_layer {
    struct layer layer;          /* with the overrides of its use */
    const struct layer_use *use; /* NULL: the type's own files */
    size_t order;                /* of its use; those of one use exclude each other */
    bool broken; /* its manifest cannot be read: what holds of its files is not known */
};

/* A file of such a layer. */
struct type_file {
    const struct type_layer *layer;
    const char *source;  /* path in the catalog */
    size_t index;        /* in the catalog's files */
    const char *path;    /* in the project; may hold {{ }} */
    const char *pattern; /* the same as a glob: what is rendered is '*' */
    const char *example; /* a path that it may be */
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
 * Everything lives in the arena. A layer that is not there is handed to `broken`, and left out; so
 * is one that cannot be read, but for its files. Where `broken` is NULL it fails.
 */
TG_CHECKED int type_files_gather(struct type_files *out, struct arena *arena,
                                 const struct fileset *files, const struct manifest *manifest,
                                 void (*broken)(void *context, const struct err *err),
                                 void *context, struct err *err);

/* Whether two paths may be the same one, whatever is rendered in them. */
bool type_files_may_meet(const struct type_file *a, const struct type_file *b);
/* Whether a glob may match the file's path. */
bool type_files_may_match(const char *glob, const struct type_file *file);
/* The file's part_layer overrides that path. */
bool type_files_overrides(const struct type_file *file);

/* Rendering: catalog revision + answers + resolution -> a list of files and a git tree id. Pure. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/manifest.h"

#include <stdbool.h>
#include <stddef.h>

/* The record's path in a child, and the matrix overlay's. */
#define RECORD_PATH ".tmplgen.yml"
#define OVERLAY_PATH ".tmplgen-matrix.yml"

struct render_entry {
    const char *path;
    bool executable;
    struct span bytes;
    const char *source; /* path in the catalog; "" for what tmplgen itself adds */
    enum file_policy policy;
    enum file_merge merge;
    unsigned char id[20]; /* git's id of the blob */
    struct span deflated; /* the bytes as a zlib stream, where that is known; else empty */
};

/* Sorted by path, bytewise; without the record. `.gitattributes` is always among them. */
struct render {
    struct render_entry *entries;
    size_t count;
    char tree[41]; /* id of the render tree, hex */
};

struct render_input {
    const struct catalog *catalog;
    const struct manifest *manifest;
    const struct data *answers;    /* all values, as templates see them */
    const struct data *request;    /* map, or NULL with `stack: none` */
    const struct data *resolution; /* likewise */
    const struct render *alike;    /* another one, whose files mostly are the same; or NULL */
};

/* Everything lives in the arena. Errors name the catalog file and place; unsafe paths are exit 3.
 */
TG_CHECKED int render(struct render *out, struct arena *arena, const struct render_input *input,
                      struct err *err);

/*
 * The files of any manifest with what its templates see, without `.gitattributes` and tree id: of a
 * base image.
 */
TG_CHECKED int render_context_files(struct render *out, struct arena *arena,
                                    const struct catalog *catalog, const struct manifest *manifest,
                                    struct data *context, struct err *err);

/* What templates see: answers, resolution, request, template. */
struct data *render_context(struct arena *arena, const struct render_input *input);

/* Copies what is a catalog file's own bytes, which live as long as the catalog is open. */
void render_keep_bytes(struct render *render, struct arena *arena);

/* Brings the entries into their order. */
void render_sort(struct render *render);
/* Index of `path`, or -1. */
long render_find(const struct render *render, const char *path);

/* Rendering: catalog revision + answers + resolution -> a list of files and a git tree id. Pure. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/manifest.h"

#include <stdbool.h>
#include <stddef.h>

/* Paths of the record and of the matrix overlay in a child. */
#define RECORD_PATH ".tmplgen.yml"
#define OVERLAY_PATH ".tmplgen-matrix.yml"

struct render_entry {
    const char *path;
    bool executable;
    struct span bytes;
    const char *source; /* path in the catalog; "" for files that tmplgen adds */
    enum file_policy policy;
    enum file_merge merge;
    unsigned char id[20]; /* git blob id */
    struct span deflated; /* the bytes as a zlib stream; empty if unknown */
};

/* Sorted bytewise by path. Excludes the record; always has `.gitattributes`. */
struct render {
    struct render_entry *entries;
    size_t count;
    char tree[41]; /* id of the render tree, hex */
};

struct render_input {
    const struct catalog *catalog;
    const struct manifest *manifest;
    const struct data *answers;    /* all values for templates */
    const struct data *request;    /* map, or NULL with `stack: none` */
    const struct data *resolution; /* like `request` */
    const struct render *alike;    /* another render with mostly the same files; or NULL */
};

/* Everything lives in the arena. Errors name the catalog file and place; unsafe paths are exit 3.
 */
TG_CHECKED int render(struct render *out, struct arena *arena, const struct render_input *input,
                      struct err *err);

/*
 * Renders the files of any manifest with a given context, without `.gitattributes` and tree id: for
 * base images.
 */
TG_CHECKED int render_context_files(struct render *out, struct arena *arena,
                                    const struct catalog *catalog, const struct manifest *manifest,
                                    struct data *context, struct err *err);

/* The context of templates: answers, resolution, request, template. */
struct data *render_context(struct arena *arena, const struct render_input *input);

/* Copies borrowed bytes of catalog files, which live only as long as the catalog is open. */
void render_keep_bytes(struct render *render, struct arena *arena);

/* Sorts the entries by path. */
void render_sort(struct render *render);
/* Index of `path`, or -1. */
long render_find(const struct render *render, const char *path);

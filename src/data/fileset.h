/* A read-only set of files, sorted by path: a catalog from any source. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct yaml_doc;

struct fileset_entry {
    const char *path; /* relative, '/' between parts */
    bool executable;
    /* Known without reading the file; each may be missing. */
    const unsigned char *id; /* of the git blob: 20 bytes */
    struct span deflated;    /* the content as a zlib stream, as in packs */
    struct span rows;        /* for a matrix: the input of rows_unpack */
};

/*
 * Entries are regular files only, sorted bytewise by path. Bytes returned by `read` live as long as
 * the set. Its creator frees the set.
 */
struct fileset {
    const struct fileset_entry *entries;
    size_t count;
    int (*read)(struct span *out, const struct fileset *set, size_t index, struct err *err);
};

/* The index of `path`, or -1. */
long fileset_find(const struct fileset *set, const char *path);
/* The index of the first entry whose path is not before `prefix`. */
size_t fileset_lower_bound(const struct fileset *set, const char *prefix);
/* Reads a file that must exist: exit 2, "missing-file" if it does not. */
TG_CHECKED int fileset_get(struct span *out, const struct fileset *set, const char *path,
                           struct err *err);
/* Whether two sets hold the same files with the same content. */
TG_CHECKED int fileset_equal(bool *out, const struct fileset *a, const struct fileset *b,
                             struct err *err);
/* Reads a file that must exist as YAML: see yaml_parse. */
TG_CHECKED int fileset_document(struct yaml_doc **out, struct arena *arena,
                                const struct fileset *set, const char *path, struct err *err);

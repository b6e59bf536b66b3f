/* A read-only set of files by path: a catalog, wherever it comes from. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct yaml_doc;

struct fileset_entry {
    const char *path; /* relative, '/' between parts */
    bool executable;
    size_t size; /* in bytes */
    /* What is known without looking into the file; each may be missing. */
    const unsigned char *id; /* git's, of the blob: 20 bytes */
    struct span deflated;    /* the bytes as a zlib stream, as packs hold them */
    struct span rows;        /* of a matrix: what rows_unpack takes */
};

/*
 * Entries are sorted by path, bytewise, and hold regular files only. Bytes that `read` hands out
 * live as long as the set. The code that made the set frees it.
 */
struct fileset {
    const struct fileset_entry *entries;
    size_t count;
    int (*read)(struct span *out, const struct fileset *set, size_t index, struct err *err);
};

/* The index of `path`, or -1. */
long fileset_find(const struct fileset *set, const char *path);
/* The index of the first entry at or behind `prefix` in the order of the set. */
size_t fileset_lower_bound(const struct fileset *set, const char *prefix);
/* Reads a file that must be there; a missing one is exit 2, "missing-file". */
TG_CHECKED int fileset_get(struct span *out, const struct fileset *set, const char *path,
                           struct err *err);
/* Whether two sets hold the same files with the same content. */
TG_CHECKED int fileset_equal(bool *out, const struct fileset *a, const struct fileset *b,
                             struct err *err);
/* Reads such a file as YAML: see yaml_parse. */
TG_CHECKED int fileset_document(struct yaml_doc **out, struct arena *arena,
                                const struct fileset *set, const char *path, struct err *err);

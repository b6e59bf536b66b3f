/* A catalog at one revision: where it came from, its files, what its manifests say. */
#ifndef TMPLGEN_CATALOG_CATALOG_H
#define TMPLGEN_CATALOG_CATALOG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct fileset;

#define CATALOG_BUILTIN "builtin"

/*
 * What the record says of the catalog. `source` is CATALOG_BUILTIN, an absolute path, or a URL.
 * `ref` and `commit` are NULL for a folder without history: such a base cannot be proven from a
 * fresh clone. `version` is catalog.yml's.
 */
struct catalog_origin {
    const char *source;
    const char *ref;
    const char *commit; /* 40 hex digits */
    const char *version;
};

/* Everything lives in the arena that was given, handles until catalog_close. */
struct catalog {
    struct catalog_origin origin;
    const char *name;
    const struct fileset *files;
    const char **warnings; /* for people: a folder catalog, a dirty one */
    size_t warning_count;
    void (*close)(struct catalog *catalog);
    void *handle;
};

/*
 * Opens `source` (NULL: built in) at `ref` (NULL: the default revision: the newest release tag; of
 * a folder without history, as it lies there). `ref` may be a tag, a branch or a commit id. Errors:
 * exit 2 "unknown-catalog", "unknown-ref", "invalid"; limits; 1 for I/O.
 */
TG_CHECKED int catalog_open(struct catalog **out, struct arena *arena, const char *source,
                            const char *ref, struct err *err);
void catalog_close(struct catalog *catalog);

/* The types of a catalog (folders of templates/ that do not begin with '_'), sorted. */
size_t catalog_types(const char ***types, struct arena *arena, const struct fileset *files);

#endif

/* A catalog at one revision: its origin, its files and its manifests. */
#pragma once

#include "base/err.h"
#include "catalog/catalog_source.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens `source` (NULL: the built-in catalog) at `ref`. NULL is the default revision: the newest
 * release tag, or a folder without history as it is. Else `ref` is a tag, a branch, a version
 * policy ("^1.2", "~1.4", "1.x": the highest matching release tag), a commit id or HEAD. Also opens
 * what the catalog extends, and merges the files. A catalog on a server is fetched into a cache
 * (catalog/remote_cache.h); a tag or commit in the cache is used without asking the server. Errors:
 * exit 2 "unknown-catalog" (no such name), "invalid-source", "unknown-ref", "invalid"; limits; 3
 * "untrusted-source", "insecure-source", "signature", "unsafe-path"; 1 "unreachable-catalog" and
 * I/O.
 */
TG_CHECKED int catalog_open(struct catalog **out, struct arena *arena, const char *source,
                            const char *ref, struct err *err);
/*
 * The same for a recorded state: the catalogs that it extends are opened at the commits of `made`,
 * the recorded origin (NULL: as the catalog itself says).
 */
TG_CHECKED int catalog_open_made(struct catalog **out, struct arena *arena, const char *source,
                                 const char *ref, const struct catalog_origin *made,
                                 struct err *err);
/*
 * Opens the folder `path` as it is, ignoring any repository there, and without warnings: for
 * catalog authors.
 */
TG_CHECKED int catalog_open_folder(struct catalog **out, struct arena *arena, const char *path,
                                   struct err *err);
void catalog_close(struct catalog *catalog);
/* Reads catalog.yml of a catalog whose files and source are set: the last step of opening. */
TG_CHECKED int catalog_read(struct catalog *catalog, struct arena *arena, struct err *err);

/*
 * Tags and branches of `source`, as in catalog_open; the releases of the built-in catalog. None for
 * a folder without history. Errors as in catalog_open.
 */
TG_CHECKED int catalog_revisions(struct catalog_revision **out, size_t *count, struct arena *arena,
                                 const char *source, struct err *err);

/* Whether catalog.yml may have this `name`; the rule in words, for messages. */
bool catalog_name_is_valid(const char *name);
#define CATALOG_NAME_RULE                                                                          \
    "must begin with a letter or digit and hold only those, blanks inside and '.', '_', '-', "     \
    "'/', at most %zu bytes"

/* The types of a catalog (folders of templates/ that do not begin with '_'), sorted. */
size_t catalog_types(const char ***types, struct arena *arena, const struct fileset *files);

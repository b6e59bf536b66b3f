/* A catalog at one revision: where it came from, its files, what its manifests say. */
#pragma once

#include "base/err.h"
#include "catalog/catalog_source.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens `source` (NULL: built in) at `ref` (NULL: the default revision: the newest release tag; of
 * a folder without history, as it lies there). `ref` may be a tag, a branch, a version policy
 * ("^1.2", "~1.4", "1.x": the highest release tag that it admits), a commit id or HEAD. With what
 * it extends: its files are then those of all of them. A source on a server is read from a cache
 * (catalog/remote_cache.h), which is filled from there: a tag or commit that is in it is taken
 * without asking. Errors: exit 2 "unknown-catalog" (there is no such name), "invalid-source",
 * "unknown-ref", "invalid"; limits; 3 "untrusted-source", "insecure-source", "signature",
 * "unsafe-path"; 1 "unreachable-catalog" and for I/O.
 */
TG_CHECKED int catalog_open(struct catalog **out, struct arena *arena, const char *source,
                            const char *ref, struct err *err);
/*
 * The same as it was when something was made: what the catalog extends is opened at the commits of
 * `made` (NULL: as it says itself), which is the origin of the catalog as it was then.
 */
TG_CHECKED int catalog_open_made(struct catalog **out, struct arena *arena, const char *source,
                                 const char *ref, const struct catalog_origin *made,
                                 struct err *err);
/*
 * As it lies in the folder `path`, whatever a repository there says, and without warnings: for
 * those who write it.
 */
TG_CHECKED int catalog_open_folder(struct catalog **out, struct arena *arena, const char *path,
                                   struct err *err);
void catalog_close(struct catalog *catalog);
/* What catalog.yml says, of a catalog whose files and source are there: the rest of opening it. */
TG_CHECKED int catalog_read(struct catalog *catalog, struct arena *arena, struct err *err);

/*
 * Tags and branches of `source`, as catalog_open takes it; releases of the built-in one. None where
 * it is a folder without history. Errors as those of catalog_open.
 */
TG_CHECKED int catalog_revisions(struct catalog_revision **out, size_t *count, struct arena *arena,
                                 const char *source, struct err *err);

/* Whether catalog.yml may have that `name`; what it may hold, for messages. */
bool catalog_name_is_valid(const char *name);
#define CATALOG_NAME_RULE                                                                          \
    "must begin with a letter or digit and hold only those, blanks inside and '.', '_', '-', "     \
    "'/', at most %zu bytes"

/* The types of a catalog (folders of templates/ that do not begin with '_'), sorted. */
size_t catalog_types(const char ***types, struct arena *arena, const struct fileset *files);

/*
 * The files of a commit, without a checkout; the merged files of a catalog and the one it extends.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

struct arena;
struct catalog;
struct fileset;
struct git_oid;
struct git_repository;
struct oid;
struct yaml_node;

/*
 * The catalog is in `folder` of the commit ("": at the top). Refuses links and submodules in it
 * (exit 2). The set keeps blobs until catalog_git_files_free.
 */
TG_CHECKED int catalog_git_files(const struct fileset **out, struct arena *arena,
                                 struct git_repository *repository, const struct git_oid *commit,
                                 const char *folder, struct err *err);
/* The ids of the catalog's files that a partially fetched repository lacks. */
TG_CHECKED int catalog_git_missing(struct oid **out, size_t *count, struct arena *arena,
                                   struct git_repository *repository, const struct git_oid *commit,
                                   const char *folder, struct err *err);
void catalog_git_files_free(const struct fileset *files);
/* `close` for a catalog with such a set, whose handle is the repository. */
void catalog_git_close(struct catalog *catalog);

/* `extends` of catalog.yml. */
struct extension {
    const char *source;           /* NULL: absent */
    const char *ref;              /* NULL: the newest */
    const struct yaml_node *node; /* for messages */
};

TG_CHECKED int extension_read(struct extension *out, const struct yaml_node *yml, struct err *err);

/*
 * Merges a catalog with the open catalog that it extends: `files` gets the files of both, sorted,
 * each path once; `own` keeps the catalog's own. The other catalog's catalog.yml and CHANGELOG.md
 * are left out. Exit 2 at the place in catalog.yml if both have a path that `overrides` does not
 * declare (except the template.yml of a type that extends the same type), or if an override
 * replaces nothing; "limit" if there are too many files.
 */
TG_CHECKED int compose(struct catalog *catalog, struct arena *arena, struct err *err);

/* How many levels below this catalog a file comes from; 0: its own. */
size_t compose_depth(const struct catalog *catalog, const char *path);

/* The files of a commit, never checked out, and those of two catalogs of which one builds on the
 * other.
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
 * The catalog is in `folder` of the commit ("": at its top). Links and submodules in it are refused
 * (exit 2). The set keeps blobs until catalog_git_files_free.
 */
TG_CHECKED int catalog_git_files(const struct fileset **out, struct arena *arena,
                                 struct git_repository *repository, const struct git_oid *commit,
                                 const char *folder, struct err *err);
/* The files of it that the repository does not have, where it was fetched in part: their ids. */
TG_CHECKED int catalog_git_missing(struct oid **out, size_t *count, struct arena *arena,
                                   struct git_repository *repository, const struct git_oid *commit,
                                   const char *folder, struct err *err);
void catalog_git_files_free(const struct fileset *files);
/* `close` of a catalog whose files are such a set, and whose handle is the repository. */
void catalog_git_close(struct catalog *catalog);

/* `extends` of catalog.yml. */
struct extension {
    const char *source;           /* NULL: there is none */
    const char *ref;              /* NULL: the newest */
    const struct yaml_node *node; /* for messages */
};

TG_CHECKED int extension_read(struct extension *out, const struct yaml_node *yml, struct err *err);

/*
 * Of a catalog that is read and whose `extends` is open: `files` become those of both, sorted, each
 * path once, `own` what they were. The other catalog's catalog.yml and CHANGELOG.md stay its own.
 * Exit 2 at the place in catalog.yml: a path that both have and that `overrides` does not declare
 * (but for the template.yml of a type that extends the same type), and an override that replaces
 * nothing; "limit" where both together have too many files.
 */
TG_CHECKED int compose(struct catalog *catalog, struct arena *arena, struct err *err);

/* How many catalogs below this one a file is from: 0 where it is the catalog's own. */
size_t compose_depth(const struct catalog *catalog, const char *path);

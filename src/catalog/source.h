/* The kinds of place that a catalog can come from. Each opener fills origin, files and close. */
#ifndef TMPLGEN_CATALOG_SOURCE_H
#define TMPLGEN_CATALOG_SOURCE_H

#include "base/err.h"
#include "catalog/catalog.h"

struct arena;
struct git_repository;
struct git_oid;

/* Opens at `ref`; see catalog_open for the contract. `origin.version` is filled by catalog_open. */
typedef int catalog_opener(struct catalog *out, struct arena *arena, const char *source,
                           const char *ref, struct err *err);

catalog_opener catalog_open_builtin;
catalog_opener catalog_open_folder;
catalog_opener catalog_open_git;

/*
 * The files of a commit's tree as a set, read from the object database, never checked out. Only the
 * parts of a catalog count (catalog.yml, templates/, base-images/, matrices/). Links and submodules
 * in them are refused (exit 2), limits as in DESIGN 9. The set keeps blobs until
 * catalog_git_files_free.
 */
TG_CHECKED int catalog_git_files(const struct fileset **out, struct arena *arena,
                                 struct git_repository *repository, const struct git_oid *commit,
                                 struct err *err);
void catalog_git_files_free(const struct fileset *files);

/* True for paths that belong to a catalog: catalog.yml, or below templates/ and its siblings. */
bool catalog_path_counts(const char *path);

#endif

/* The files of a commit as a set, read from the object database, never checked out. */
#ifndef TMPLGEN_CATALOG_GIT_FILES_H
#define TMPLGEN_CATALOG_GIT_FILES_H

#include "base/err.h"

struct arena;
struct fileset;
struct git_oid;
struct git_repository;

/*
 * Only the parts of a catalog count (catalog.yml, templates/, base-images/, matrices/). Links and
 * submodules in them are refused (exit 2), limits as in DESIGN 9. The set keeps blobs until
 * catalog_git_files_free.
 */
TG_CHECKED int catalog_git_files(const struct fileset **out, struct arena *arena,
                                 struct git_repository *repository, const struct git_oid *commit,
                                 struct err *err);
void catalog_git_files_free(const struct fileset *files);

#endif

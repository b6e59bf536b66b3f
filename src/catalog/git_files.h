/* The files of a commit as a set, read from the object database, never checked out. */
#ifndef TMPLGEN_CATALOG_GIT_FILES_H
#define TMPLGEN_CATALOG_GIT_FILES_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct catalog;
struct fileset;
struct git_oid;
struct git_repository;
struct oid;
struct source_scope;

/*
 * The catalog is in `folder` of the commit ("": at its top). The files that the scope takes,
 * without what it leaves out. Links and submodules are refused (exit 2)
 * unless it leaves those out; limits as in DESIGN 9. The set keeps blobs until
 * catalog_git_files_free.
 */
TG_CHECKED int catalog_git_files(const struct fileset **out, struct arena *arena,
                                 struct git_repository *repository, const struct git_oid *commit,
                                 const char *folder, const struct source_scope *scope,
                                 struct err *err);
/* The files of it that the repository does not have, where it was fetched in part: their ids. */
TG_CHECKED int catalog_git_missing(struct oid **out, size_t *count, struct arena *arena,
                                   struct git_repository *repository, const struct git_oid *commit,
                                   const char *folder, const struct source_scope *scope,
                                   struct err *err);
void catalog_git_files_free(const struct fileset *files);
/* `close` of a catalog whose files are such a set, and whose handle is the repository. */
void catalog_git_close(struct catalog *catalog);

#endif

/* The files of a commit as a set, read from the object database, never checked out. */
#ifndef TMPLGEN_GIT_FILES_H
#define TMPLGEN_GIT_FILES_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct catalog;
struct fileset;
struct git_oid;
struct git_repository;
struct oid;

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

#endif

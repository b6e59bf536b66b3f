/* Creates repositories before any other process sees them: no locks, no atomic replacement. */
#pragma once

#include "base/err.h"

struct arena;
struct git_repository;
struct identity;
struct io_maker;
struct oid;

/*
 * Does what `git init` does in `folder`, the absolute path of the folder of `maker`, and opens the
 * repository. `*branch` is the full name of the first branch; NULL becomes that of
 * init.defaultBranch, else master.
 */
TG_CHECKED int new_repo_init(struct git_repository **out, const char **branch, struct arena *arena,
                             struct io_maker *maker, const char *folder, struct err *err);

/* Creates the branch at `commit`, and begins its reflog and HEAD's. */
TG_CHECKED int new_repo_branch(struct io_maker *maker, const char *branch, const struct oid *commit,
                               const struct identity *who, const char *subject, struct err *err);

/* Another ref, without a reflog. */
TG_CHECKED int new_repo_ref(struct io_maker *maker, const char *name, const struct oid *commit,
                            struct err *err);

/* Puts the files of HEAD into the work tree and the index, as `git clone` does. */
TG_CHECKED int new_repo_checkout(struct git_repository *repository, struct err *err);

void new_repo_close(struct git_repository *repository);

/* Syncs what git needs: the pack and its index, the refs, HEAD, the configuration and the index. */
TG_CHECKED int new_repo_sync(const struct io_maker *maker, const char *pack, const char *branch,
                             const char *ref, struct err *err);

/*
 * Creates an empty bare repository that ignores the user's configuration. `folder` must not exist;
 * only its owner gets access.
 */
TG_CHECKED int new_repo_bare(const char *folder, struct err *err);

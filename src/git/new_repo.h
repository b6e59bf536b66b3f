/* New repositories, made before anybody sees them: nothing in them is locked or swapped. */
#pragma once

#include "base/err.h"

struct arena;
struct git_repository;
struct identity;
struct io_maker;
struct oid;

/*
 * Makes in `folder`, the absolute path of what `maker` fills, what `git init` makes there, and
 * opens it. `*branch` is the full name of the branch to be born; where it is NULL, it becomes that
 * of init.defaultBranch, else master.
 */
TG_CHECKED int new_repo_init(struct git_repository **out, const char **branch, struct arena *arena,
                             struct io_maker *maker, const char *folder, struct err *err);

/* The branch is born at `commit`; its reflog and that of HEAD begin. */
TG_CHECKED int new_repo_branch(struct io_maker *maker, const char *branch, const struct oid *commit,
                               const struct identity *who, const char *subject, struct err *err);

/* Another ref, without a reflog. */
TG_CHECKED int new_repo_ref(struct io_maker *maker, const char *name, const struct oid *commit,
                            struct err *err);

/* Puts the files of HEAD into the work tree and the index, as `git clone` does. */
TG_CHECKED int new_repo_checkout(struct git_repository *repository, struct err *err);

void new_repo_close(struct git_repository *repository);

/*
 * Makes durable what git cannot do without: the pack with its index, the refs, HEAD, the
 * configuration and the index.
 */
TG_CHECKED int new_repo_sync(const struct io_maker *maker, const char *pack, const char *branch,
                             const char *ref, struct err *err);

/*
 * An empty bare repository, without the user's configuration. `folder` must not be there; only its
 * owner may look into it.
 */
TG_CHECKED int new_repo_bare(const char *folder, struct err *err);

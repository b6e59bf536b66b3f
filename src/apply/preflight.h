/* Checks whether an update may run now, and may touch these files. */
#pragma once

#include "apply/journal.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct index;
struct repo;
struct tree_files;

/* Exit 2 where `name` is no valid name for a branch. Needs no repository. */
TG_CHECKED int preflight_branch_name(const char *name, struct err *err);

/* The functions below refuse with exit 3. */

/* "operation-in-progress": a merge, rebase, cherry-pick ... is under way. */
TG_CHECKED int preflight_state(const struct repo *repo, struct err *err);

/*
 * "unmerged": paths are in conflict, but no operation is under way ('git cherry-pick --quit'). The
 * hint says how to go on. Sets `*kept`, unless `kept` is NULL, to the index that it read.
 */
TG_CHECKED int preflight_merged(const struct repo *repo, struct index **kept, struct err *err);

/* "unborn-branch": the branch has no commit yet. */
TG_CHECKED int preflight_born(const struct repo *repo, struct err *err);

/* "branch-in-use": another work tree has the branch checked out. */
TG_CHECKED int preflight_unused(const struct repo *repo, const char *branch, struct err *err);

/*
 * Checks the repository as a whole: no operation is under way, no other work tree has the branch
 * checked out, nothing is locked, and the index is equal to `head`, the list of HEAD's tree.
 * `new_branch` (NULL: none) must be a free name; with `renewed` the branch may exist, but no work
 * tree may have it checked out. HEAD may be detached only with a new branch.
 */
TG_CHECKED int preflight_repository(const struct repo *repo, const struct index *index,
                                    const struct tree_files *head, const char *new_branch,
                                    bool renewed, struct err *err);

struct preflight {
    struct journal_files files; /* the files' changes */
    struct words adopted;       /* untracked files that already have the content to write */
};

/*
 * Checks every path that the update touches; `edits` have paths from the top of the work tree,
 * sorted. Each path must have HEAD's content on disk, and nothing may lie where a new file goes:
 * "dirty", "sparse", "in-the-way", "filter", "nested-repository". Puts the content that will lie on
 * disk into the store.
 */
TG_CHECKED int preflight_files(struct preflight *out, const struct repo *repo,
                               const struct index *index, const struct plan_edit *edits,
                               size_t count, struct err *err);

/* May the update touch these files? What lies on disk, and what will. */
#ifndef TMPLGEN_PREFLIGHT_H
#define TMPLGEN_PREFLIGHT_H

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct path_change;
struct index;
struct repo;
struct tree_files;

/* Exit 2 where it is no name for a branch. Asks no repository. */
TG_CHECKED int preflight_branch_name(const char *name, struct err *err);

/* A merge, rebase, cherry-pick ... under way: refused, "operation-in-progress". */
TG_CHECKED int preflight_state(const struct repo *repo, struct err *err);

/*
 * Paths in conflict where no operation is under way ('git cherry-pick --quit'): refused,
 * "unmerged", with what goes on from there. `*kept` becomes the index that was read, if one was; or
 * NULL is given.
 */
TG_CHECKED int preflight_merged(const struct repo *repo, struct index **kept, struct err *err);

/* Refused, "unborn-branch", where the branch has no commit yet. */
TG_CHECKED int preflight_born(const struct repo *repo, struct err *err);

/* Another work tree has the branch checked out: refused, "branch-in-use". */
TG_CHECKED int preflight_unused(const struct repo *repo, const char *branch, struct err *err);

/*
 * The repository as a whole: no operation under way, a branch that no other work tree
 * has checked out, no lock, the whole index equal to `head` (the list of HEAD's tree). `new_branch`
 * (NULL: none) is a name that must be free, or, where `renewed`, may be there, in no work tree;
 * only with it HEAD may be detached. Each refusal is exit 3 with a code of its own.
 */
TG_CHECKED int preflight_repository(const struct repo *repo, const struct index *index,
                                    const struct tree_files *head, const char *new_branch,
                                    bool renewed, struct err *err);

struct preflight {
    struct path_change *changes; /* sorted by path */
    size_t count;
    const char **adopted; /* untracked files that are just what would be written */
    size_t adopted_count;
};

/*
 * `edits` have paths from the top of the work tree, sorted. Every path that the update touches must
 * on disk be what HEAD says, by content; nothing may be in the way of what is new (exit 3, "dirty",
 * "sparse", "in-the-way", "filter", "nested-repository"). What will lie on disk is put into the
 * store.
 */
TG_CHECKED int preflight_files(struct preflight *out, const struct repo *repo,
                               const struct index *index, const struct plan_edit *edits,
                               size_t count, struct err *err);

#endif

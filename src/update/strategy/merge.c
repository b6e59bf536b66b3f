/* The strategy `merge`: a merge commit, and a conflict as git's own merge has it. */
#include "apply/journal.h"
#include "git/commit.h"
#include "git/repo.h"
#include "update/strategy.h"
#include "update/strategy/strategy_common.h"

/* The commit of the new render has no folder above it, as the project has elsewhere. */
static int check(const struct repo *repo, struct err *err)
{
    return strategy_check_root(repo, strategy_merge.name, err);
}

/* Also where nothing conflicts and the result waits, so that `git commit` makes the merge. */
static int land(struct journal *j, const struct strategy_step *l, struct err *err)
{
    if (j->kind == JOURNAL_UPDATE)
        return strategy_commit(&j->branch_new, l, (struct oid[]){l->repo->head, l->base_commit}, 2,
                               err);
    j->pseudoref = "MERGE_HEAD";
    j->brought = l->base_commit;
    return 0;
}

/* As git does it: who ends a merge is its author. */
static int conclude(struct oid *commit, const struct journal *stopped, const struct repo *repo,
                    const struct oid *tree, const struct identity *who, const char *message,
                    struct err *err)
{
    return commit_put(commit, repo->store, tree, (struct oid[]){repo->head, stopped->brought}, 2,
                      who, message, err);
}

const struct strategy strategy_merge = {
    .name = "merge", .git_command = "merge", .check = check, .land = land, .conclude = conclude};

/*
 * The strategies `pick` and `merge`: one commit, and a conflict left as by git's own cherry-pick or
 * merge.
 */
#include "apply/journal.h"
#include "base/arena.h"
#include "catalog/render.h"
#include "child/base_ref.h"
#include "git/commit.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/report/commit_message.h"
#include "update/strategy.h"

#include <string.h>

static int put_result(struct oid *out, const struct strategy_input *in, const char *message,
                      const struct oid *parents, size_t count, struct err *err)
{
    if (in->sealed)
        message = message_seal(in->repo->arena, message, parents, count, &in->result);
    return commit_put(out, in->repo->store, &in->result, parents, count, &in->who, message, err);
}

/* ---------------------------------------------------------------- pick */

/* Makes the tree of the new render with its record, in the child's folder. */
static int put_render(struct oid *tree, const struct strategy_input *in, struct err *err)
{
    struct store *store = in->repo->store;
    const char *prefix = in->repo->prefix;
    struct tree_edit record = {RECORD_PATH, in->record};
    if (tree_edit(tree, store, store, &in->render_tree, &record, 1, err) < 0)
        return -1;
    if (!*prefix)
        return 0;
    struct tree_edit folder = {arena_memdup(in->repo->arena, prefix, strlen(prefix) - 1),
                               {LEAF_TREE, *tree}};
    return tree_edit(tree, store, store, NULL, &folder, 1, err);
}

/* Makes a commit of the new render on one of the base: git picks the difference. */
static int put_picked(struct oid *out, const struct strategy_input *in, const char *message,
                      struct err *err)
{
    const struct repo *repo = in->repo;
    struct oid parent, tree;
    if (plan_list_put(&tree, repo->store, repo->arena, &in->base->files, err) < 0 ||
        base_commit_put(&parent, repo->store, &tree, repo->prefix, err) < 0 ||
        put_render(&tree, in, err) < 0)
        return -1;
    return commit_put(out, repo->store, &tree, &parent, 1, &in->who, message, err);
}

static int fill_pick(struct journal *j, const struct strategy_input *in,
                     const struct replay_result *replayed, const char *message, struct err *err)
{
    (void)replayed;
    if (j->kind == JOURNAL_STAGED)
        return 0;
    if (j->kind == JOURNAL_UPDATE)
        return put_result(&j->tip.branch_new, in, message, &in->repo->head, !in->repo->unborn, err);
    j->stop.pseudoref = "CHERRY_PICK_HEAD";
    return put_picked(&j->stop.brought, in, message, err);
}

/* As in git, the author is the user who began the update. */
static int keep_author(struct identity *who, const struct journal_stop *stop,
                       const struct repo *repo, struct err *err)
{
    struct span picked;
    if (!stop->pseudoref || !store_has(repo->store, &stop->brought))
        return 0;
    if (store_copy(&picked, repo->arena, repo->store, STORE_COMMIT, &stop->brought,
                   "the update's commit", err) < 0)
        return -1;
    const char *author = strstr(picked.ptr, "\nauthor ");
    if (author) {
        author += strlen("\nauthor ");
        who->author = arena_memdup(repo->arena, author, strcspn(author, "\n"));
    }
    return 0;
}

static int commit_pick(struct oid *commit, const struct journal *stopped, const struct repo *repo,
                       const struct oid *tree, const struct identity *who, const char *message,
                       struct err *err)
{
    struct identity author = *who;
    if (keep_author(&author, &stopped->stop, repo, err) < 0)
        return -1;
    return commit_put(commit, repo->store, tree, &repo->head, !repo->unborn, &author, message, err);
}

const struct strategy strategy_default = {.name = "pick",
                                          .git_command = "cherry-pick",
                                          .fill_journal = fill_pick,
                                          .commit_stop = commit_pick};

/* ---------------------------------------------------------------- merge */

/* A staged result waits like a conflict, so that `git commit` makes the merge. */
static int fill_merge(struct journal *j, const struct strategy_input *in,
                      const struct replay_result *replayed, const char *message, struct err *err)
{
    const struct oid parents[] = {in->repo->head, in->base_commit};
    (void)replayed;
    if (j->kind == JOURNAL_UPDATE)
        return put_result(&j->tip.branch_new, in, message, parents, 2, err);
    j->stop.pseudoref = "MERGE_HEAD";
    j->stop.brought = in->base_commit;
    return 0;
}

/* As in git, the author is the user who ends the merge. */
static int commit_merge(struct oid *commit, const struct journal *stopped, const struct repo *repo,
                        const struct oid *tree, const struct identity *who, const char *message,
                        struct err *err)
{
    const struct oid parents[] = {repo->head, stopped->stop.brought};
    return commit_put(commit, repo->store, tree, parents, 2, who, message, err);
}

/* The commit of the new render has no folder around it. */
const struct strategy strategy_merge = {.name = "merge",
                                        .git_command = "merge",
                                        .at_root = true,
                                        .fill_journal = fill_merge,
                                        .commit_stop = commit_merge};

/* ---------------------------------------------------------------- the table */

static const struct strategy *const strategies[] = {&strategy_default, &strategy_merge,
                                                    &strategy_rebase};
enum { COUNT = sizeof(strategies) / sizeof(*strategies) };

const struct strategy *strategy_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

const char *strategy_names(struct arena *arena)
{
    const char *names[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        names[i] = strategies[i]->name;
    return str_join(arena, names, COUNT, ", ");
}

const struct strategy *strategy_of(const struct journal *stopped)
{
    const struct strategy *found = stopped->strategy ? strategy_find(stopped->strategy) : NULL;
    return found ? found : &strategy_default;
}

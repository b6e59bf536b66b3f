/* The strategy `pick`: one ordinary commit, and a conflict as git's own cherry-pick has it. */
#include "apply/journal.h"
#include "base/arena.h"
#include "catalog/render.h"
#include "child/base_ref.h"
#include "git/commit.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/plan_input.h"
#include "update/base/proven_base.h"
#include "update/strategy.h"
#include "update/strategy/strategy_common.h"

#include <string.h>

/* The new render with its record, where the project lies in the repository. */
static int put_render(struct oid *tree, const struct strategy_step *l, struct err *err)
{
    struct store *store = l->repo->store;
    const char *prefix = l->repo->prefix;
    struct tree_edit record = {RECORD_PATH, l->record};
    if (tree_edit(tree, store, store, &l->base_tree, &record, 1, err) < 0)
        return -1;
    if (!*prefix)
        return 0;
    struct tree_edit graft = {arena_memdup(l->arena, prefix, strlen(prefix) - 1),
                              {LEAF_TREE, *tree}};
    return tree_edit(tree, store, store, NULL, &graft, 1, err);
}

/* What the template is before and after, as commits: the difference is what is being picked. */
static int put_picked(struct oid *out, const struct strategy_step *l, struct err *err)
{
    struct oid parent, tree;
    if (plan_list_put(&tree, l->repo->store, l->arena, &l->base->files, err) < 0 ||
        base_commit_put(&parent, l->repo->store, &tree, l->repo->prefix, err) < 0 ||
        put_render(&tree, l, err) < 0)
        return -1;
    return commit_put(out, l->repo->store, &tree, &parent, 1, l->who, l->message, err);
}

static int land(struct journal *j, const struct strategy_step *l, struct err *err)
{
    if (j->kind == JOURNAL_STAGED)
        return 0;
    if (j->kind == JOURNAL_UPDATE)
        return strategy_commit(&j->branch_new, l, &l->repo->head, !l->repo->unborn, err);
    j->pseudoref = "CHERRY_PICK_HEAD";
    return put_picked(&j->brought, l, err);
}

/* As git does it: who began the update stays its author. */
static int keep_author(struct identity *who, const struct journal *stopped, const struct repo *repo,
                       struct err *err)
{
    STORE_BYTES_SCRATCH(picked);
    if (!stopped->pseudoref || !store_has(repo->store, &stopped->brought))
        return 0;
    if (store_get(&picked, repo->store, STORE_COMMIT, &stopped->brought, "the update's commit",
                  err) < 0)
        return -1;
    const char *text = arena_memdup(repo->arena, picked.bytes.ptr, picked.bytes.len);
    const char *author = strstr(text, "\nauthor ");
    if (author) {
        author += strlen("\nauthor ");
        who->author = arena_memdup(repo->arena, author, strcspn(author, "\n"));
    }
    return 0;
}

static int conclude(struct oid *commit, const struct journal *stopped, const struct repo *repo,
                    const struct oid *tree, const struct identity *who, const char *message,
                    struct err *err)
{
    struct identity author = *who;
    if (keep_author(&author, stopped, repo, err) < 0)
        return -1;
    return commit_put(commit, repo->store, tree, &repo->head, !repo->unborn, &author, message, err);
}

const struct strategy strategy_default = {
    .name = "pick", .git_command = "cherry-pick", .land = land, .conclude = conclude};

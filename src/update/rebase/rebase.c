/* The strategy `rebase`: replays the child's own commits on the new render. */
#include "base/arena.h"
#include "base/utf8.h"
#include "child/record.h"
#include "git/commit.h"
#include "git/repo.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/replay.h"
#include "update/rebase/stopped_rebase.h"
#include "update/strategy.h"
#include "update/target/update_target.h"

enum { SHOWN = 10 };

/* ---------------------------------------------------------------- the first run */

static const char *listed(struct arena *arena, const struct words *paths)
{
    const char *list = str_quoted(arena, paths->items, paths->count, SHOWN);
    return paths->count > SHOWN ? arena_printf(arena, "%s, ...", list) : list;
}

static int refuse_other_end(const struct replay *r, const struct strategy_input *in,
                            struct err *err)
{
    struct arena *arena = in->repo->arena;
    struct words paths = {0};
    if (in->plan->conflict_count) {
        rebase_add_conflicts(&paths, arena, in->plan);
        (void)err_set(err, TG_REFUSED, "differs-from-pick",
                      "the commits can be replayed, but the strategy 'pick' has conflicts, so that "
                      "one of the two is wrong: %s",
                      listed(arena, &paths));
    } else {
        struct replay_edits edits;
        if (replay_edits(&edits, in->repo, &in->result, &r->tree, NULL, 0, NULL, err) < 0)
            return -1;
        for (size_t i = 0; i < edits.count; i++)
            words_add(&paths, arena, edits.edits[i].path);
        (void)err_set(err, TG_REFUSED, "differs-from-pick",
                      "the replayed commits end in another tree than the strategy 'pick' does: %s",
                      listed(arena, &paths));
    }
    return err_hint(err, "nothing was changed; 'tmplgen update' without --strategy rebase takes "
                         "the new version on top");
}

static int refuse_stop_on_branch(struct err *err)
{
    (void)err_set(err, TG_REFUSED, "conflicts-on-branch",
                  "the rebase stops at a conflict, which it does on the branch that is checked out "
                  "alone");
    return err_hint(err, "'git switch -c NAME' makes a branch of your own; there run it without "
                         "--branch");
}

/* Checks that a replay ends in the tree of the strategy `pick`, or stops at a conflict. */
static int check_end(const struct replay_result *out, const struct replay *r,
                     const struct strategy_input *in, struct err *err)
{
    if (out->stops && replay_check(r, err) < 0)
        return -1;
    if (out->stops)
        return in->branch ? refuse_stop_on_branch(err) : 0;
    if (in->plan->conflict_count || !oid_equal(&r->tree, &in->result))
        return refuse_other_end(r, in, err);
    return 0;
}

static int find_renames_of(struct renames *out, const struct strategy_input *in,
                           const struct record *from, const struct record *to, struct err *err)
{
    struct migrated moved;
    if (!from)
        return 0;
    if (migrate_renames(&moved, in->repo->arena, in->manifest, &from->catalog,
                        to ? &to->catalog : NULL, err) < 0)
        return -1;
    *out = moved.files;
    return 0;
}

/* Finds the files that migrations rename: in each update, and from its version to the new one. */
static int find_renames(struct commit_range *range, const struct strategy_input *in,
                        struct err *err)
{
    for (size_t i = 0; i < range->count; i++) {
        struct range_commit *commit = &range->commits[i];
        if (i && !commit->is_update)
            continue;
        if ((i && find_renames_of(&commit->went, in, commit[-1].made, commit->record, err) < 0) ||
            find_renames_of(&commit->goes, in, i ? commit->record : commit->made, NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* The first commit usually has the record whose base is already proven. */
static void take_proven(struct replay *r, const struct strategy_input *in)
{
    const struct commit_range *range = r->in->range;
    const struct record *first = range->count ? range->commits[0].made : NULL;
    if (first && in->base->proof == PROOF_RENDER && !in->base->drift &&
        strcmp(first->inputs, in->made->inputs) == 0 && strcmp(first->tree, in->made->tree) == 0)
        r->proven[r->proven_next++] = (struct replay_proven){first, *in->base};
}

static int replay(struct replay_result *out, const struct strategy_input *in, struct err *err)
{
    const struct repo *repo = in->repo;
    struct arena *arena = repo->arena;
    struct commit_range range;
    struct commit_holders holders;
    struct pick_end pick = {.tree = in->result};
    struct replay r;
    const char *moved =
        in->branch ? arena_printf(arena, "refs/heads/%s", in->branch) : repo->branch;
    *out = (struct replay_result){.stops = false};
    if (range_read(&range, arena, repo, &repo->head, err) < 0 ||
        holders_find(&holders, repo, &range, moved, err) < 0 ||
        (!in->rewrite_published && holders_check_published(&holders, repo, &range, err) < 0) ||
        find_renames(&range, in, err) < 0)
        return -1;
    const struct replay_input replayed = {.repo = repo,
                                          .range = &range,
                                          .committer = in->who.committer,
                                          .record = in->record,
                                          .onto = in->base_commit,
                                          .plan = in->input};
    replay_begin(&r, &replayed);
    take_proven(&r, in);
    r.tree = in->render_tree;
    lineage_render(&r.after, arena, &in->input->side[RENDER]);
    rebase_add_conflicts(&pick.conflicts, arena, in->plan);
    if (replay_to_edits(out, &pick.conflicts, &r, &repo->tree, err) < 0 ||
        check_end(out, &r, in, err) < 0)
        return -1;
    rebase_add_conflicts(&pick.conflicts, arena, &out->stopped);
    holders_report(out, &holders, repo, &range, moved);
    out->context = rebase_context(&r, &pick);
    return 0;
}

static int fill_journal(struct journal *j, const struct strategy_input *in,
                        const struct replay_result *replayed, const char *message, struct err *err)
{
    struct arena *arena = in->repo->arena;
    (void)message;
    if (replayed->stops) {
        rebase_context_put_document(arena, replayed->context, replayed->document);
        return rebase_fill_stop(j, replayed, arena, err);
    }
    j->before.tree = in->repo->tree; /* the new commit's parent is not the index's tree */
    rebase_fill_end(j, replayed, in->repo);
    return 0;
}

/* ---------------------------------------------------------------- a stop's commit */

/* Keeps the message unless the user has changed it. Makes no commit where no change is left. */
static int commit_stop(struct oid *commit, const struct journal *stopped, const struct repo *repo,
                       const struct oid *tree, const struct identity *who, const char *message,
                       struct err *err)
{
    struct raw_commit raw;
    *commit = repo->head;
    if (oid_equal(tree, &repo->tree))
        return 0;
    if (raw_commit_read(&raw, repo->arena, repo->store, &stopped->stop.brought, err) < 0)
        return -1;
    if (message) {
        raw.message = span_from(message);
        if (utf8_valid(raw.message))
            raw.encoding = NULL;
    }
    return raw_commit_put(commit, repo->store, &raw, tree, &repo->head, who->committer, err);
}

/* Its commits are the child's own commits, one by one. */
static const char *const refuses[] = {"no-commit", "message", "signoff", "on-conflict",
                                      "refresh",   "restore", NULL};

const struct strategy strategy_rebase = {.name = "rebase",
                                         .refuses = refuses,
                                         .at_root = true,
                                         .replay = replay,
                                         .fill_journal = fill_journal,
                                         .commit_stop = commit_stop,
                                         .resume = rebase_next};

/* Replays a child's commits on a new base commit, in memory. */
#include "update/rebase/replay.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/render.h"
#include "child/record.h"
#include "git/repo.h"
#include "git/tree.h"
#include "io/interrupt.h"
#include "plan/planner.h"
#include "update/base/proven_base.h"
#include "update/rebase/commit_range.h"
#include "update/resume/on_conflict.h"

const char *const replay_state_names[REPLAY_STATES] = {
    [REPLAY_PENDING] = "pending",
    [REPLAY_MADE] = "replayed",
    [REPLAY_DROPPED] = "dropped",
    [REPLAY_CONFLICT] = "conflict",
};

/* One step. Its own arena has everything, except what goes into the replay. */
struct stepping {
    const struct replay_input *in;
    struct replay *r;
    struct arena arena;
    const struct range_commit *commit;
    struct replay_step *step;
    struct plan_list base; /* the commit's base */
    bool has_rules;        /* the template's files in it are known */
    struct plan plan;
    struct err *err;
};

void replay_begin(struct replay *out, const struct replay_input *in)
{
    const struct commit_range *range = in->range;
    *out = (struct replay){.in = in, .tip = in->onto};
    out->steps = arena_array(in->repo->arena, range->count + 1, sizeof(*out->steps));
    for (size_t i = 0; i < range->count; i++)
        out->steps[i].commit = &range->commits[i];
}

/* ---------------------------------------------------------------- trees */

/* Makes `tree` with the edits and the record; without a record where that is NULL. */
static int edit_tree(struct oid *out, struct stepping *s, const struct oid *tree,
                     const struct plan *plan, const struct tree_entry *record)
{
    struct tree_edit *edits = arena_array(&s->arena, plan->edit_count + 1, sizeof(*edits));
    size_t count = 0;
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].disk.mode || plan->edits[i].old.mode)
            edits[count++] = (struct tree_edit){plan->edits[i].path, plan->edits[i].disk};
    edits[count++] = (struct tree_edit){RECORD_PATH, record ? *record : (struct tree_entry){0}};
    struct store *store = s->in->repo->store;
    return tree_edit(out, store, store, tree, edits, count, s->err);
}

/* ---------------------------------------------------------------- the base of a commit */

/* One update's render is the base of the next: renders it only once. */
static int prove(struct base *out, struct stepping *s, const struct record *record)
{
    static const struct base_options options;
    struct replay *r = s->r;
    for (size_t i = 0; i < REPLAY_PROVEN; i++)
        if (r->proven[i].record == record) {
            *out = r->proven[i].base;
            return 0;
        }
    if (base_prove(out, s->in->repo, record, &options, s->err) < 0)
        return err_wrap(s->err, "commit %s", range_name(s->in->repo->arena, &s->commit->raw));
    r->proven[r->proven_next] = (struct replay_proven){record, *out};
    r->proven_next = (r->proven_next + 1) % REPLAY_PROVEN;
    return 0;
}

static int refuse_update(const struct stepping *s)
{
    (void)err_set(s->err, TG_REFUSED, "update-conflicts",
                  "commit %s is an update that had conflicts: what was made of them cannot be told "
                  "from the update",
                  range_name(s->in->repo->arena, &s->commit->raw));
    return err_hint(s->err,
                    "'tmplgen update' without --strategy rebase takes the new version on top");
}

/* The base of an update is its automatic merge. The commit's further changes are the child's. */
static int begin_from_update(struct stepping *s)
{
    const struct range_commit *before = s->commit - 1;
    const struct repo *repo = s->in->repo;
    struct base old, new;
    struct plan_input input = *s->in->plan;
    struct plan plan;
    struct file_lineage lineage;
    struct oid begun;
    if (prove(&old, s, before->made) < 0 || prove(&new, s, s->commit->record) < 0 ||
        lineage_list(&input.side[CHILD], &s->arena, repo, &s->commit->parent_tree, &s->r->before,
                     s->err) < 0)
        return -1;
    input.side[CHILD] = conflicts_apart(&s->arena, &input.side[CHILD]);
    input.side[BASE] = old.files;
    input.side[RENDER] = new.files;
    input.base_has_rules = old.has_rules;
    input.renames = s->commit->went;
    if (plan_make(&plan, &s->arena, repo->store, &input, s->err) < 0 ||
        edit_tree(&begun, s, &s->commit->parent_tree, &plan, NULL) < 0)
        return -1;
    if (plan.conflict_count)
        return refuse_update(s);
    lineage_plan(&lineage, &s->arena, &plan, true);
    return lineage_list(&s->base, &s->arena, repo, &begun, &lineage, s->err);
}

/* The base of the first commit is the render of its record. */
static int begin_from_render(struct stepping *s)
{
    struct base base;
    if (prove(&base, s, s->commit->made) < 0)
        return -1;
    s->base = base.files;
    s->has_rules = base.has_rules;
    return 0;
}

static int begin(struct stepping *s)
{
    if (s->r->at == 0)
        return begin_from_render(s);
    s->has_rules = true;
    if (s->commit->is_update)
        return begin_from_update(s);
    return lineage_list(&s->base, &s->arena, s->in->repo, &s->commit->parent_tree, &s->r->before,
                        s->err);
}

/* ---------------------------------------------------------------- one commit */

static int plan_step(struct stepping *s)
{
    const struct repo *repo = s->in->repo;
    struct plan_input input = *s->in->plan;
    static const struct file_lineage unknown;
    if (lineage_list(&input.side[CHILD], &s->arena, repo, &s->commit->raw.tree, &unknown, s->err) <
            0 ||
        lineage_list(&input.side[RENDER], &s->arena, repo, &s->r->tree, &s->r->after, s->err) < 0)
        return -1;
    input.side[CHILD] = conflicts_apart(&s->arena, &input.side[CHILD]);
    input.side[BASE] = s->base;
    input.base_has_rules = s->has_rules;
    input.renames = s->commit->goes;
    return plan_make(&s->plan, &s->arena, repo->store, &input, s->err);
}

static const char *kept(struct arena *arena, const char *text)
{
    return text ? arena_strdup(arena, text) : NULL;
}

static void keep_lines(struct plan *out, struct arena *arena, const struct plan *plan)
{
    out->paths = arena_array(arena, plan->path_count + 1, sizeof(*out->paths));
    for (size_t i = 0; i < plan->path_count; i++) {
        struct plan_path *path = &out->paths[out->path_count++];
        *path = plan->paths[i];
        path->path = kept(arena, path->path);
        path->from_path = kept(arena, path->from_path);
        path->note = kept(arena, path->note);
    }
}

/* Git picks a commit onto the replayed ones: those are `ours`, the commit is `theirs`. */
static void keep_conflict(struct stepping *s)
{
    struct arena *arena = s->in->repo->arena;
    struct plan *out = &s->r->stopped;
    *out = (struct plan){.conflict_count = s->plan.conflict_count};
    out->edits = arena_array(arena, s->plan.edit_count + 1, sizeof(*out->edits));
    const char **paths = arena_array(arena, s->plan.edit_count + 1, sizeof(*paths));
    for (size_t i = 0; i < s->plan.edit_count; i++) {
        struct plan_edit edit = s->plan.edits[i];
        struct tree_entry ours = edit.stages[RENDER];
        if (!edit.conflict)
            continue;
        edit.path = kept(arena, edit.path);
        edit.stages[RENDER] = edit.stages[CHILD];
        edit.stages[CHILD] = ours;
        paths[out->edit_count] = edit.path;
        out->edits[out->edit_count++] = edit;
    }
    keep_lines(out, arena, &s->plan);
    s->step->state = REPLAY_CONFLICT;
    s->step->note = arena_printf(arena, "in conflict: %s",
                                 str_quoted(arena, paths, out->edit_count, out->edit_count));
}

static const char *why_dropped(const struct stepping *s)
{
    const struct range_commit *commit = s->commit, *before = commit - 1;
    if (commit->is_update)
        return arena_printf(s->in->repo->arena,
                            "what the update to %s brought is in the new version",
                            commit->record->catalog.version);
    if (!tree_entry_equal(&commit->record_entry, &before->record_entry))
        return "the new " RECORD_PATH " has it already";
    for (size_t i = 0; i < s->r->at; i++)
        if (s->r->steps[i].by_hand)
            return "what is replayed before it has it already";
    return "the template has it already";
}

/* A commit that was empty from the beginning stays. */
static bool is_left(const struct stepping *s, const struct oid *tree)
{
    return s->r->at == 0 || !oid_equal(tree, &s->r->tree) ||
           oid_equal(&s->commit->raw.tree, &s->commit->parent_tree);
}

static int make_commit(struct stepping *s, const struct oid *tree)
{
    struct replay *r = s->r;
    if (!is_left(s, tree)) {
        s->step->state = REPLAY_DROPPED;
        s->step->note = why_dropped(s);
        s->step->made = r->tip;
        return 0;
    }
    s->step->state = REPLAY_MADE;
    if (s->commit->is_update)
        s->step->note = "what was added to the update by hand; the update is in the new version";
    r->tree = *tree;
    if (raw_commit_put(&r->tip, s->in->repo->store, &s->commit->raw, tree, &r->tip,
                       s->in->committer, s->err) < 0)
        return -1;
    s->step->made = r->tip;
    return 0;
}

static void go_on(struct stepping *s)
{
    struct file_lineage before, after;
    lineage_plan(&before, &s->arena, &s->plan, false);
    lineage_plan(&after, &s->arena, &s->plan, true);
    lineage_keep(&s->r->before, s->in->repo->arena, &before);
    lineage_keep(&s->r->after, s->in->repo->arena, &after);
    s->r->at++;
}

static int open_step(struct stepping *s, struct replay *r, struct err *err)
{
    *s = (struct stepping){.in = r->in,
                           .r = r,
                           .arena = ARENA_INIT,
                           .commit = r->steps[r->at].commit,
                           .step = &r->steps[r->at],
                           .err = err};
    return interrupt_check(err) < 0 || begin(s) < 0 ? -1 : plan_step(s);
}

static int step(struct stepping *s)
{
    struct oid tree;
    if (edit_tree(&tree, s, &s->commit->raw.tree, &s->plan, &s->in->record) < 0)
        return -1;
    if (s->plan.conflict_count) {
        keep_conflict(s);
        s->r->stopped_tree = tree;
        return 0;
    }
    if (make_commit(s, &tree) < 0)
        return -1;
    go_on(s);
    return 0;
}

int replay_run(struct replay *r, struct err *err)
{
    bool conflict = false;
    int rc = 0;
    while (rc == 0 && !conflict && r->at < r->in->range->count) {
        struct stepping s;
        struct replay_step *at = &r->steps[r->at];
        rc = open_step(&s, r, err);
        if (rc == 0)
            rc = step(&s);
        conflict = at->state == REPLAY_CONFLICT;
        arena_release(&s.arena);
    }
    return rc;
}

int replay_check(const struct replay *replay, struct err *err)
{
    struct replay r = *replay;
    int rc = 0;
    r.before = (struct file_lineage){NULL, 0};
    for (; rc == 0 && r.at < r.in->range->count; r.at++) {
        struct stepping s = {
            .in = r.in, .r = &r, .arena = ARENA_INIT, .commit = r.steps[r.at].commit, .err = err};
        if (r.at > 0 && s.commit->is_update)
            rc = begin_from_update(&s);
        arena_release(&s.arena);
    }
    return rc;
}

static void take_made(struct stepping *s, const struct oid *made, const struct oid *tree)
{
    struct replay *r = s->r;
    bool dropped = oid_equal(made, &r->tip);
    s->step->made = *made;
    s->step->by_hand = true;
    s->step->state = dropped ? REPLAY_DROPPED : REPLAY_MADE;
    s->step->note =
        dropped ? "nothing of it was left when it was resolved" : "you resolved its conflicts";
    r->tip = *made;
    r->tree = *tree;
    go_on(s);
}

int replay_take(struct replay *r, const struct oid *made, struct err *err)
{
    struct stepping s;
    struct commit commit;
    int rc = open_step(&s, r, err);
    if (rc == 0)
        rc = repo_commit(&commit, r->in->repo->arena, r->in->repo->store, made, err);
    if (rc == 0)
        take_made(&s, made, &commit.tree);
    arena_release(&s.arena);
    return rc;
}

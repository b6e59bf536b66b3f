/* The effect of a replay on files and index, at a stop or at its end. */

#include "apply/kept_resolutions.h"
#include "base/arena.h"
#include "data/document.h"
#include "git/path_change.h"
#include "git/repo.h"
#include "git/tree.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/replay.h"
#include "update/strategy.h"

#include <string.h>

/*
 * A link or a submodule, which only the child can have. One that a later commit adds stays on disk
 * until then. Preflight refuses a file that replaces one, and one that replaces a file.
 */
static bool is_other(const struct tree_entry *entry)
{
    return entry->mode == LEAF_LINK || entry->mode == LEAF_SUBMODULE;
}

/* Both lists are sorted. */
static void add_differences(struct replay_edits *out, struct arena *arena,
                            const struct tree_files *from, const struct tree_files *to)
{
    for (size_t i = 0, j = 0; i < from->count || j < to->count;) {
        const struct tree_file *old = i < from->count ? &from->files[i] : NULL;
        const struct tree_file *new = j < to->count ? &to->files[j] : NULL;
        int order = !new ? -1 : !old ? 1 : strcmp(old->path, new->path);
        struct plan_edit edit = {0};
        if (old && order <= 0) {
            edit.path = old->path;
            edit.old = old->leaf;
            i++;
        }
        if (new &&order >= 0) {
            edit.path = new->path;
            edit.disk = new->leaf;
            j++;
        }
        edit.index_only = is_other(&edit.old) || is_other(&edit.disk);
        if (!tree_entry_equal(&edit.old, &edit.disk))
            arena_push(arena, out->edits, out->count) = edit;
    }
}

/* Edits only the index where the disk already has the content. */
static int settle_conflict(struct replay_edits *out, const struct repo *repo,
                           const struct oid *from, const struct plan_edit *conflict, bool *resolved,
                           struct err *err)
{
    const struct tree_entry stages[STAGES] = {[STAGE_BASE] = conflict->stages[BASE],
                                              [STAGE_OURS] = conflict->stages[CHILD],
                                              [STAGE_THEIRS] = conflict->stages[RENDER]};
    struct tree_entry resolution;
    struct plan_edit edit = *conflict;
    size_t at = 0;
    if (kept_resolution_find(&resolution, resolved, repo, &(struct conflict){edit.path, stages},
                             err) < 0 ||
        tree_find(&edit.old, repo->store, from, edit.path, err) < 0)
        return -1;
    if (edit.old.mode == LEAF_TREE)
        edit.old = (struct tree_entry){0};
    if (*resolved) {
        edit.conflict = false;
        edit.disk = resolution;
        memset(edit.stages, 0, sizeof(edit.stages));
    }
    while (at < out->count && strcmp(out->edits[at].path, edit.path) != 0)
        at++;
    if (at == out->count && (edit.conflict || !tree_entry_equal(&edit.old, &edit.disk)))
        arena_push(repo->arena, out->edits, out->count) = edit;
    else if (at < out->count)
        out->edits[at] = edit;
    return 0;
}

int replay_edits(struct replay_edits *out, const struct repo *repo, const struct oid *from,
                 const struct oid *to, const struct plan_edit *conflicts, size_t count,
                 bool *resolved, struct err *err)
{
    struct tree_files before, after;
    *out = (struct replay_edits){0};
    if (tree_list(&before, repo->arena, repo->store, from, TREE_ENTRIES, err) < 0 ||
        tree_list(&after, repo->arena, repo->store, to, TREE_ENTRIES, err) < 0)
        return -1;
    add_differences(out, repo->arena, &before, &after);
    for (size_t i = 0; i < count; i++)
        if (settle_conflict(out, repo, from, &conflicts[i], &resolved[i], err) < 0)
            return -1;
    plan_sort_edits(out->edits, out->count);
    return 0;
}

/* ---------------------------------------------------------------- of a replay */

/* The resolution is staged; tells the user to look at it. */
static void warn_of_resolved(struct replay_result *out, struct plan *stopped, struct arena *arena,
                             const char *conflict)
{
    words_printf(&out->warnings, arena,
                 "'%s' is resolved as you did before, and staged: look at it", conflict);
    for (size_t i = 0; i < stopped->path_count; i++) {
        struct plan_path *path = &stopped->paths[i];
        if (strcmp(path->path, conflict) == 0)
            path->note =
                arena_printf(arena, "%s; resolved as you did before, and staged: look at it",
                             path->note ? path->note : "in conflict");
    }
}

/* Nothing that git lists at a stop tells whose such a file is. */
static void warn_of_later(struct replay_result *out, struct arena *arena)
{
    for (size_t i = 0; i < out->edit_count; i++) {
        const struct plan_edit *edit = &out->edits[i];
        if (edit->index_only && edit->old.mode && !edit->disk.mode)
            words_printf(&out->warnings, arena,
                         "'%s' is of a later commit, and stays on disk until then, "
                         "untracked: leave it as it is",
                         edit->path);
    }
}

static int list_edits(struct replay_result *out, struct words *looked_at, struct replay *r,
                      const struct oid *from, struct err *err)
{
    struct arena *arena = r->in->repo->arena;
    struct plan *stopped = &r->stopped;
    size_t count = out->stops ? stopped->edit_count : 0;
    bool *resolved = arena_array(arena, count + 1, sizeof(*resolved));
    struct replay_edits edits;
    out->tree = out->stops ? r->stopped_tree : r->tree;
    if (replay_edits(&edits, r->in->repo, from, &out->tree, stopped->edits, count, resolved, err) <
        0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (resolved[i]) {
            stopped->edits[i].conflict = false;
            words_add(looked_at, arena, stopped->edits[i].path);
            warn_of_resolved(out, stopped, arena, stopped->edits[i].path);
        }
    out->edits = edits.edits;
    out->edit_count = edits.count;
    if (out->stops)
        warn_of_later(out, arena);
    return 0;
}

/* The member `commits` of documents (docs/json.md, update). */
static struct data *commits_data(struct arena *arena, const struct replay *r)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < r->in->range->count; i++) {
        const struct replay_step *step = &r->steps[i];
        const struct raw_commit *raw = &step->commit->raw;
        bool made = step->state == REPLAY_MADE;
        data_push(arena, list,
                  data_of(arena, FIELD("commit", oid_text(arena, &raw->id)),
                          FIELD("subject", raw->subject),
                          FIELD("state", replay_state_names[step->state]),
                          FIELD("to", made ? oid_text(arena, &step->made) : NULL),
                          FIELD("note", step->note)));
    }
    return list;
}

static struct journal_steps journal_steps(const struct replay *r)
{
    size_t count = r->in->range->count;
    struct journal_step *steps = arena_array(r->in->repo->arena, count + 1, sizeof(*steps));
    for (size_t i = 0; i < count; i++)
        steps[i] = (struct journal_step){r->steps[i].commit->raw.id, r->steps[i].made,
                                         r->steps[i].by_hand};
    return (struct journal_steps){steps, count};
}

int replay_to_edits(struct replay_result *out, struct words *looked_at, struct replay *r,
                    const struct oid *from, struct err *err)
{
    struct arena *arena = r->in->repo->arena;
    if (replay_run(r, err) < 0)
        return -1;
    out->stops = r->at < r->in->range->count;
    out->tip = r->tip;
    if (list_edits(out, looked_at, r, from, err) < 0)
        return -1;
    out->steps = journal_steps(r);
    out->commits = commits_data(arena, r);
    out->from = *from;
    if (!out->stops)
        return 0;
    const struct raw_commit *raw = &r->steps[r->at].commit->raw;
    out->picked = raw->id;
    out->from = raw->tree;
    /* leaves out git's list of conflicts, which `git commit --no-edit` would keep */
    out->message = arena_memdup(arena, raw->message.ptr, raw->message.len);
    out->stopped = r->stopped;
    return 0;
}

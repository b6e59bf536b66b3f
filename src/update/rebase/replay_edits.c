/* What a stop of a rebase, or its end, does to files and index. */
#include "update/rebase/replay_edits.h"

#include "apply/kept_resolutions.h"
#include "base/arena.h"
#include "git/path_change.h"
#include "git/repo.h"
#include "git/tree.h"

#include <string.h>

static void add(struct replay_edits *out, struct arena *arena, const struct plan_edit *edit)
{
    out->edits = arena_grow(arena, out->edits, out->count, sizeof(*out->edits));
    out->edits[out->count++] = *edit;
}

/*
 * A link or a submodule, which only the child can have. One that a later commit adds stays on disk
 * meanwhile; where a file takes its place, or the other way round, that is for preflight to refuse.
 */
static bool is_other(const struct tree_entry *leaf)
{
    return leaf->mode == LEAF_LINK || leaf->mode == LEAF_SUBMODULE;
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
            add(out, arena, &edit);
    }
}

/* In the index alone where the disk has it already. */
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
        add(out, repo->arena, &edit);
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

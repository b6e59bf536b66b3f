/* An update of long ago, done again to the render alone. */
#include "update/base/base_replay.h"

#include "base/arena.h"
#include "git/repo.h"
#include "git/tree.h"
#include "plan/plan_input.h"
#include "plan/three_way.h"
#include "update/base/base_tree.h"

#include <string.h>

struct update_replay {
    struct arena arena;
    const struct repo *repo;
    struct plan_list base, before, after;
    struct tree_edit *edits;
    size_t edit_count;
    bool clean;
    struct err *err;
};

static void edit(struct update_replay *r, const char *path, struct tree_entry leaf)
{
    r->edits = arena_grow(&r->arena, r->edits, r->edit_count, sizeof(*r->edits));
    r->edits[r->edit_count++] = (struct tree_edit){path, leaf};
}

/* The one file of the base with that content which the child has no more: it had moved it. */
static const struct plan_file *find_moved(const struct update_replay *r,
                                          const struct plan_file *file)
{
    const struct plan_file *found = NULL;
    for (size_t i = 0; i < r->base.count; i++) {
        const struct plan_file *other = &r->base.files[i];
        if (!oid_equal(&other->leaf.id, &file->leaf.id) || plan_list_find(&r->before, other->path))
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

/* Both had changed it: as text, else as lines of pins. */
static int merge(struct update_replay *r, const struct plan_file *base,
                 const struct plan_file *before, const struct plan_file *after)
{
    struct three_way_input input = {
        .file = {before, base, after}, .base_label = "before", .render_label = "after"};
    struct three_way merged;
    for (int lines = 0; lines < 2; lines++) {
        input.lines = lines;
        if (three_way_merge(&merged, r->repo->store, &input, r->err) < 0)
            return -1;
        if (merged.kind == THREE_WAY_CLEAN) {
            edit(r, base->path, merged.result);
            return 0;
        }
    }
    r->clean = false;
    return 0;
}

/* One path that the update changed. What the child had of its own there stays out. */
static int replay_path(struct update_replay *r, const struct plan_file *before,
                       const struct plan_file *after)
{
    const char *path = before ? before->path : after ? after->path : "";
    const struct plan_file *base = plan_list_find(&r->base, path);
    const struct tree_entry new = after ? after->leaf : (struct tree_entry){0};
    if (!before || !after || (base && tree_entry_equal(&base->leaf, &before->leaf))) {
        if (base || !before)
            edit(r, path, new);
        else if ((base = find_moved(r, before)))
            edit(r, base->path, new);
        return 0;
    }
    if (base)
        return merge(r, base, before, after);
    if ((base = find_moved(r, before)))
        edit(r, base->path, new);
    return 0;
}

static int replay_paths(struct update_replay *r)
{
    size_t i = 0, j = 0;
    while (r->clean && (i < r->before.count || j < r->after.count)) {
        const struct plan_file *before = i < r->before.count ? &r->before.files[i] : NULL;
        const struct plan_file *after = j < r->after.count ? &r->after.files[j] : NULL;
        int order = before && after ? strcmp(before->path, after->path) : before ? -1 : 1;
        before = order <= 0 ? before : NULL;
        after = order >= 0 ? after : NULL;
        i += before != NULL;
        j += after != NULL;
        if (before && after && tree_entry_equal(&before->leaf, &after->leaf))
            continue;
        if (replay_path(r, before, after) < 0)
            return -1;
    }
    return 0;
}

int base_replay(struct replayed *out, const struct repo *repo, const struct oid *base,
                const struct oid *before, const struct oid *after, struct err *err)
{
    struct update_replay r = {.arena = ARENA_INIT, .repo = repo, .clean = true, .err = err};
    int rc = base_tree_files(&r.base, &r.arena, repo, base, err);
    if (rc == 0)
        rc = base_tree_files(&r.before, &r.arena, repo, before, err);
    if (rc == 0)
        rc = base_tree_files(&r.after, &r.arena, repo, after, err);
    if (rc == 0)
        rc = replay_paths(&r);
    *out =
        (struct replayed){.clean = r.clean, .files = r.base.count + r.before.count + r.after.count};
    if (rc == 0 && r.clean)
        rc = tree_edit(&out->tree, repo->store, repo->store, base, r.edits, r.edit_count, err);
    arena_release(&r.arena);
    return rc;
}

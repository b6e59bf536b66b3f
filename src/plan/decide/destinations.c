/* Where every file comes to lie, and what that makes of the plan. */
#include "plan/decide/destinations.h"

#include "base/arena.h"
#include "plan/decide/decide.h"
#include "plan/file_triple.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static int by_placed_path(const void *a, const void *b)
{
    return strcmp(((const struct destination *)a)->path, ((const struct destination *)b)->path);
}

size_t placed_lower_bound(const struct planner *p, const char *path)
{
    size_t low = 0, high = p->placed_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(p->placed[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool is_placed(const struct planner *p, const char *path)
{
    size_t at = placed_lower_bound(p, path);
    return at < p->placed_count && strcmp(p->placed[at].path, path) == 0;
}

bool stays_in_place(const struct planner *p, size_t unit)
{
    const struct plan_file *child = p->units[unit].side[CHILD];
    return child && p->outcomes[unit].path && strcmp(child->path, p->outcomes[unit].path) == 0;
}

void place_all(struct planner *p)
{
    bool sorted = true;
    p->placed_count = 0;
    memset(p->leaves, 0, child_list(p)->count);
    for (size_t i = 0; i < p->unit_count; i++) {
        const struct plan_file *child = p->units[i].side[CHILD];
        if (child && !stays_in_place(p, i))
            p->leaves[child - child_list(p)->files] = true;
        if (!p->outcomes[i].path)
            continue;
        struct destination *placed = &p->placed[p->placed_count++];
        *placed = (struct destination){p->outcomes[i].path, i};
        sorted = sorted && (placed == p->placed || by_placed_path(placed - 1, placed) <= 0);
    }
    if (!sorted)
        qsort(p->placed, p->placed_count, sizeof(*p->placed), by_placed_path);
}

bool newly_placed(const struct planner *p, size_t unit)
{
    return p->outcomes[unit].path && !stays_in_place(p, unit);
}

void plan_warn(struct planner *p, const char *text)
{
    struct plan *out = p->out;
    out->warnings = arena_grow(p->arena, out->warnings, out->warning_count, sizeof(*out->warnings));
    out->warnings[out->warning_count++] = text;
}

struct plan_edit *plan_add_edit(struct planner *p, const char *path, const struct tree_entry *old)
{
    struct plan *out = p->out;
    out->edits = arena_grow(p->arena, out->edits, out->edit_count, sizeof(*out->edits));
    struct plan_edit *edit = &out->edits[out->edit_count++];
    *edit = (struct plan_edit){.path = path, .old = *old};
    return edit;
}

void plan_add_path(struct planner *p, const struct plan_path *path)
{
    p->out->paths[p->out->path_count++] = *path;
    if (path->state == PATH_CONFLICT)
        p->out->conflict_count++;
}

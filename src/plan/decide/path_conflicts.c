/* Files where the template has folders, and folders where it has files. */
#include "plan/decide/path_conflicts.h"

#include "base/arena.h"
#include "base/str.h"
#include "plan/decide/decide.h"
#include "plan/decide/destinations.h"
#include "plan/file_triple.h"
#include "plan/plan.h"

#include <string.h>

/* A file of the child, staying or placed, below the folder `path`. */
static bool is_folder(const struct planner *p, const char *path)
{
    const char *below = arena_printf(p->arena, "%s/", path);
    const struct plan_list *list = child_list(p);
    size_t at = placed_lower_bound(p, below);
    if (at < p->placed_count && str_starts(p->placed[at].path, below))
        return true;
    for (at = plan_list_lower_bound(list, below);
         at < list->count && str_starts(list->files[at].path, below); at++)
        if (!p->leaves[at])
            return true;
    return false;
}

/* The child's file, staying, that is a part of the way to `path`. */
static const struct plan_file *file_on_the_way(const struct planner *p, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *part = arena_memdup(p->arena, path, (size_t)(slash - path));
        const struct plan_file *file = plan_list_find(child_list(p), part);
        if (file && !p->leaves[file - child_list(p)->files])
            return file;
    }
    return NULL;
}

/* Index of the unit that the child's file belongs to; `unit_count` for the child's own. */
static size_t unit_of(const struct planner *p, const struct plan_file *file)
{
    size_t unit = 0;
    while (unit < p->unit_count && p->units[unit].side[CHILD] != file)
        unit++;
    return unit;
}

/* What is never moved: a link or submodule, another child's file, and what updates leave alone. */
static bool is_immovable(const struct planner *p, const struct plan_file *file)
{
    const struct file_triple own = {.side = {NULL, file, NULL}};
    size_t at = unit_of(p, file);
    const struct file_triple *unit = at < p->unit_count ? &p->units[at] : &own;
    const struct plan_file *rule = triple_rule(unit, p->input);
    return !tree_entry_is_file(&file->leaf) || file->nested || triple_is_yours(unit, p->input) ||
           (rule && file_policies[rule->policy].leaves_alone);
}

bool path_conflicts_blocked(const struct planner *p, size_t unit)
{
    if (!newly_placed(p, unit))
        return false;
    const char *path = p->outcomes[unit].path;
    const struct plan_file *file = file_on_the_way(p, path);
    return is_folder(p, path) || (file && is_immovable(p, file));
}

/* A file of the child that must make room for a folder goes to a name beside it. */
static const char *side_name(const struct planner *p, const char *path)
{
    const char *name = arena_printf(p->arena, "%s~HEAD", path);
    for (int i = 1; plan_list_find(child_list(p), name) || is_placed(p, name); i++)
        name = arena_printf(p->arena, "%s~HEAD_%d", path, i);
    return name;
}

static void edit_aside(struct planner *p, const struct plan_file *file,
                       const struct tree_entry *base)
{
    const char *name = side_name(p, file->path);
    (void)plan_add_edit(p, file->path, &file->leaf);
    struct plan_edit *edit = plan_add_edit(p, name, &(struct tree_entry){0});
    edit->disk = file->leaf;
    edit->conflict = true;
    edit->stages[BASE] = *base;
    edit->stages[CHILD] = file->leaf;
    p->leaves[file - child_list(p)->files] = true;
    plan_warn(p, arena_printf(p->arena,
                              "the template has a folder where your '%s' is: yours is now '%s'",
                              file->path, name));
}

static void move_aside(struct planner *p, const struct plan_file *file)
{
    size_t unit = unit_of(p, file);
    struct outcome *outcome = unit < p->unit_count ? &p->outcomes[unit] : NULL;
    const struct plan_file *base = outcome ? p->units[unit].side[BASE] : NULL;
    edit_aside(p, file, base ? &base->leaf : &(struct tree_entry){0});
    if (!outcome) {
        plan_add_path(p, &(struct plan_path){.path = file->path,
                                             .state = PATH_CONFLICT,
                                             .note = "the template has a folder there"});
        return;
    }
    outcome->reported = true;
    outcome->state = PATH_CONFLICT;
    outcome->note = "the template has a folder there";
    outcome->conflict = false; /* its edits are made */
    outcome->disk = file->leaf;
}

/* The unit is the template's new file: whose rename is blocked has given it up before. */
static void block(struct planner *p, size_t unit, const char *note)
{
    struct outcome *outcome = &p->outcomes[unit];
    outcome->conflict = true;
    outcome->state = PATH_CONFLICT;
    outcome->note = note;
    outcome->disk = (struct tree_entry){0};
    memset(outcome->stages, 0, sizeof(outcome->stages));
    outcome->stages[RENDER] = p->units[unit].side[RENDER]->leaf;
}

void path_conflicts_clear(struct planner *p)
{
    for (size_t i = 0; i < p->unit_count; i++) {
        if (!newly_placed(p, i))
            continue;
        const char *path = p->outcomes[i].path;
        const struct plan_file *file = file_on_the_way(p, path);
        if (file && is_immovable(p, file)) {
            block(p, i, arena_printf(p->arena, "your '%s' is there", file->path));
            continue;
        }
        if (file)
            move_aside(p, file);
        if (is_folder(p, path))
            block(p, i, "you have a folder there");
    }
}

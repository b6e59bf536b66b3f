/* Makes a plan: base, child and new render in, what becomes of each path out. */
#include "plan/planner.h"

#include "base/arena.h"
#include "base/budget.h"
#include "git/store.h"
#include "plan/decide/decide.h"
#include "plan/decide/destinations.h"
#include "plan/decide/path_conflicts.h"
#include "plan/file_triple.h"
#include "plan/merge/syntax_check.h"
#include "plan/pair.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* True where the unit's rename was followed and is not any more. */
static bool fix(struct planner *p, size_t unit)
{
    const struct plan_file *base = p->units[unit].side[BASE];
    bool moved = false;
    for (int side = CHILD; base && side < SIDES; side++)
        if (p->units[unit].side[side] && strcmp(p->units[unit].side[side]->path, base->path) != 0)
            moved = true;
    if (!moved)
        return false;
    bool *fixed = &p->fixed[base - p->input->side[BASE].files];
    bool was = *fixed;
    *fixed = true;
    return !was;
}

/* The child's file at `path`, where that of `unit` mostly is. */
static const struct plan_file *child_at(const struct planner *p, const char *path, size_t unit)
{
    const struct plan_file *own = p->units[unit].side[CHILD];
    return own && strcmp(own->path, path) == 0 ? own : plan_list_find(child_list(p), path);
}

/* The child's file at `path` that stays there, unless it belongs to `unit`; else NULL. */
static const struct plan_file *occupant(const struct planner *p, const char *path, size_t unit)
{
    const struct plan_file *file = child_at(p, path, unit);
    if (!file || file == p->units[unit].side[CHILD] || p->leaves[file - child_list(p)->files])
        return NULL;
    return file;
}

/* Two files at one place: whoever came there by a rename is treated by its names alone. */
static bool fix_collisions(struct planner *p)
{
    bool any = false;
    for (size_t i = 0; i < p->placed_count; i++) {
        const struct destination *one = &p->placed[i];
        if (i + 1 < p->placed_count && strcmp(one->path, p->placed[i + 1].path) == 0) {
            any |= fix(p, one->unit);
            any |= fix(p, p->placed[i + 1].unit);
        }
        if (occupant(p, one->path, one->unit))
            any |= fix(p, one->unit);
    }
    return any;
}

/* A renamed file may not take a place where a folder is, nor go below a file that stays. */
static bool fix_blocked(struct planner *p)
{
    bool any = false;
    for (size_t i = 0; i < p->unit_count; i++)
        if (path_conflicts_blocked(p, i))
            any |= fix(p, i);
    return any;
}

/* What the child and the template both changed will be merged: the child's files, in one turn. */
static void look_ahead(const struct planner *p)
{
    ARENA_SCRATCH(scratch);
    struct oid *ids = arena_array(&scratch, p->unit_count + 1, sizeof(*ids));
    size_t count = 0;
    for (size_t i = 0; i < p->unit_count; i++) {
        const struct plan_file *const *side = p->units[i].side;
        if (side[BASE] && side[CHILD] && side[RENDER] &&
            !oid_equal(&side[BASE]->leaf.id, &side[CHILD]->leaf.id) &&
            !oid_equal(&side[BASE]->leaf.id, &side[RENDER]->leaf.id))
            ids[count++] = side[CHILD]->leaf.id;
    }
    store_look_ahead(p->store, ids, count);
}

static int resolve_all(struct planner *p)
{
    if (pair_files(&p->units, &p->unit_count, p->arena, p->store, p->input, p->fixed, p->err) < 0)
        return -1;
    p->outcomes = arena_array(p->arena, p->unit_count + 1, sizeof(*p->outcomes));
    p->placed = arena_array(p->arena, p->unit_count + 1, sizeof(*p->placed));
    look_ahead(p);
    for (size_t i = 0; i < p->unit_count; i++)
        if (decide_file(&p->outcomes[i], p->arena, p->store, p->input, &p->units[i], p->err) < 0)
            return -1;
    place_all(p);
    return 0;
}

/* Each round gives up at least one rename, so it ends. */
static int settle_places(struct planner *p)
{
    do {
        if (resolve_all(p) < 0)
            return -1;
    } while (fix_collisions(p) || fix_blocked(p));
    return 0;
}

static const struct tree_entry *old_leaf(const struct planner *p, const char *path, size_t unit)
{
    static const struct tree_entry absent;
    const struct plan_file *file = child_at(p, path, unit);
    return file ? &file->leaf : &absent;
}

static bool moved_aside(const struct planner *p, size_t unit)
{
    const struct plan_file *child = p->units[unit].side[CHILD];
    return child && stays_in_place(p, unit) && p->leaves[child - child_list(p)->files];
}

static void edit_unit(struct planner *p, size_t unit)
{
    const struct plan_file *child = p->units[unit].side[CHILD];
    const struct outcome *outcome = &p->outcomes[unit];
    if (moved_aside(p, unit))
        return;
    if (child && !stays_in_place(p, unit) && !is_placed(p, child->path))
        (void)plan_add_edit(p, child->path, &child->leaf);
    if (!outcome->path)
        return;
    const struct tree_entry *old = old_leaf(p, outcome->path, unit);
    if (!outcome->conflict && tree_entry_equal(old, &outcome->disk))
        return;
    struct plan_edit *edit = plan_add_edit(p, outcome->path, old);
    edit->disk = outcome->disk;
    edit->conflict = outcome->conflict;
    memcpy(edit->stages, outcome->stages, sizeof(edit->stages));
}

static const char *report_path(const struct file_triple *unit, const struct outcome *outcome)
{
    static const enum side order[] = {RENDER, BASE, CHILD};
    if (outcome->path)
        return outcome->path;
    for (size_t i = 0; i < SIDES; i++)
        if (unit->side[order[i]] &&
            (outcome->state != PATH_KEPT_DELETED || order[i] != RENDER || !unit->side[BASE]))
            return unit->side[order[i]]->path;
    return "";
}

static void report_unit(struct planner *p, size_t unit)
{
    const struct outcome *outcome = &p->outcomes[unit];
    const struct plan_file *rule = triple_rule(&p->units[unit], p->input);
    if (!outcome->reported)
        return;
    plan_add_path(p, &(struct plan_path){.path = report_path(&p->units[unit], outcome),
                                         .from_path = outcome->from_path,
                                         .state = outcome->state,
                                         .has_policy = rule != NULL,
                                         .policy = rule ? rule->policy : POLICY_MERGE,
                                         .note = outcome->note});
}

/* A clean merge may still break a file whose form is known. */
static int check_syntax(struct planner *p, size_t unit)
{
    const struct outcome *outcome = &p->outcomes[unit];
    const struct plan_file *child = p->units[unit].side[CHILD];
    STORE_BYTES_SCRATCH(before);
    STORE_BYTES_SCRATCH(after);
    if (!outcome->merged_text || outcome->conflict || !child || !syntax_known(outcome->path))
        return 0;
    if (store_get(&before, p->store, STORE_BLOB, &child->leaf.id, child->path, p->err) < 0 ||
        store_get(&after, p->store, STORE_BLOB, &outcome->disk.id, outcome->path, p->err) < 0)
        return -1;
    if (syntax_parses(outcome->path, before.bytes) && !syntax_parses(outcome->path, after.bytes))
        plan_warn(p, arena_printf(p->arena, "'%s' merged, but is no valid %s any more: look at it",
                                  outcome->path, syntax_known(outcome->path)));
    return 0;
}

static struct span folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return span_of(path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* The first file in `list` below `folder`, or NULL. */
static const struct plan_file *first_below(const struct plan_list *list, const char *folder)
{
    size_t at = plan_list_lower_bound(list, folder);
    return at < list->count && str_starts(list->files[at].path, folder) ? &list->files[at] : NULL;
}

/* The template moved a whole folder away, and files of the child stay behind. */
static void note_left_behind(struct planner *p)
{
    const char *last = "";
    for (size_t i = 0; i < p->unit_count; i++) {
        const struct outcome *outcome = &p->outcomes[i];
        if (!outcome->reported || outcome->state != PATH_RENAMED)
            continue;
        struct span old = folder_of(outcome->from_path);
        if (old.len == 0 || span_equal(old, folder_of(outcome->path)))
            continue;
        const char *folder = arena_memdup(p->arena, old.ptr, old.len);
        const struct plan_file *left = first_below(child_list(p), folder);
        while (left && p->leaves[left - child_list(p)->files])
            left = left + 1 < child_list(p)->files + child_list(p)->count &&
                           str_starts(left[1].path, folder)
                       ? left + 1
                       : NULL;
        if (!left || strcmp(folder, last) == 0 || first_below(&p->input->side[RENDER], folder))
            continue;
        last = folder;
        plan_warn(p, arena_printf(p->arena,
                                  "the template moved '%s' away; your own files stay, such as "
                                  "'%s'",
                                  folder, left->path));
    }
}

static bool has_path(const struct file_triple *unit, const char *path)
{
    for (int side = BASE; side < SIDES; side++)
        if (unit->side[side] && strcmp(unit->side[side]->path, path) == 0)
            return true;
    return false;
}

/* Why the file at `path`, by any name that it had, cannot be brought back; NULL: it can. */
static const char *why_not(const struct planner *p, const char *path)
{
    const char *why = "the template has no such file";
    if (plan_list_find(child_list(p), path))
        return "it is there";
    for (size_t i = 0; i < p->unit_count; i++) {
        const struct file_triple *unit = &p->units[i];
        if (!has_path(unit, path))
            continue;
        if (unit->side[RENDER] && !unit->side[CHILD])
            return NULL;
        why = unit->side[CHILD]
                  ? arena_printf(p->arena, "it is there, as '%s'", unit->side[CHILD]->path)
                  : "the template has it no more";
    }
    return why;
}

static int check_restore(const struct planner *p)
{
    for (size_t i = 0; i < p->input->restore_count; i++) {
        const char *path = p->input->restore[i];
        const char *why = why_not(p, path);
        if (why)
            return err_set(p->err, TG_USAGE, "not-restorable", "cannot restore '%s': %s", path,
                           why);
    }
    return 0;
}

static int by_report_path(const void *a, const void *b)
{
    return strcmp(((const struct plan_path *)a)->path, ((const struct plan_path *)b)->path);
}

/* The more it says about a path, the higher. */
static int weight(const struct plan_path *line)
{
    return line->state == PATH_CONFLICT                                      ? 2
           : line->state == PATH_DELETED || line->state == PATH_KEPT_DELETED ? 0
                                                                             : 1;
}

/* A file went where another one was that is gone: the path has one line, that of what is there. */
static void drop_doubles(struct plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->path_count; i++) {
        struct plan_path *line = &plan->paths[i];
        if (kept == 0 || strcmp(plan->paths[kept - 1].path, line->path) != 0) {
            plan->paths[kept++] = *line;
            continue;
        }
        struct plan_path *first = &plan->paths[kept - 1];
        if (line->state == PATH_CONFLICT && first->state == PATH_CONFLICT)
            plan->conflict_count--;
        if (weight(line) > weight(first))
            *first = *line;
    }
    plan->path_count = kept;
}

static void list_pairs(struct planner *p)
{
    struct plan *out = p->out;
    out->pairs = arena_array(p->arena, p->unit_count + 1, sizeof(*out->pairs));
    for (size_t i = 0; i < p->unit_count; i++) {
        struct plan_pair *pair = &out->pairs[out->pair_count++];
        memcpy(pair->side, p->units[i].side, sizeof(pair->side));
        pair->path = p->outcomes[i].path;
    }
}

static int write_out(struct planner *p)
{
    path_conflicts_clear(p);
    list_pairs(p);
    for (size_t i = 0; i < p->unit_count; i++) {
        edit_unit(p, i);
        report_unit(p, i);
        if (check_syntax(p, i) < 0)
            return -1;
    }
    note_left_behind(p);
    if (p->out->path_count)
        qsort(p->out->paths, p->out->path_count, sizeof(*p->out->paths), by_report_path);
    drop_doubles(p->out);
    plan_sort_edits(p->out->edits, p->out->edit_count);
    return 0;
}

int plan_make(struct plan *out, struct arena *arena, struct store *store,
              const struct plan_input *input, struct err *err)
{
    struct planner p = {.out = out,
                        .arena = arena,
                        .store = store,
                        .input = input,
                        .err = err,
                        .leaves = arena_array(arena, input->side[CHILD].count + 1, 1),
                        .fixed = arena_array(arena, input->side[BASE].count + 1, 1)};
    *out = (struct plan){0};
    if (settle_places(&p) < 0 || check_restore(&p) < 0)
        return -1;
    /* One line a unit, and one for each of the child's own files that must make room. */
    out->paths = arena_array(arena, p.unit_count * 2 + 1, sizeof(*out->paths));
    return write_out(&p) < 0 ? -1
                             : budget_steps(0, err); /* globs that were given up match nothing */
}

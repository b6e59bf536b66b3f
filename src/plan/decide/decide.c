/* Decides the outcome for one file of up to three trees. */

#include "base/arena.h"
#include "plan/case_names.h"
#include "plan/decide/destinations.h"
#include "plan/pair.h"
#include "plan/three_way.h"

#include <string.h>

struct decision {
    struct outcome *out;
    struct arena *arena;
    struct store *store;
    const struct plan_input *input;
    const struct file_triple *triple;
    const struct plan_file *base, *child, *render; /* NULL: absent */
    const struct plan_file *rule;
    struct err *err;
};

static const struct tree_entry absent;

static const struct tree_entry *entry_of(const struct plan_file *file)
{
    return file ? &file->entry : &absent;
}

static bool same(const struct plan_file *a, const struct plan_file *b)
{
    return tree_entry_equal(entry_of(a), entry_of(b));
}

static bool same_path(const struct plan_file *a, const struct plan_file *b)
{
    return a && b && strcmp(a->path, b->path) == 0;
}

static const struct policy *policy_of(const struct decision *d)
{
    return &file_policies[d->rule ? d->rule->policy : POLICY_MERGE];
}

static bool wanted_back(const struct decision *d)
{
    for (size_t i = 0; i < d->input->restore.count; i++)
        for (int side = BASE; side < SIDES; side++)
            if (d->triple->side[side] &&
                strcmp(d->input->restore.items[i], d->triple->side[side]->path) == 0)
                return true;
    return false;
}

static int report(const struct decision *d, enum path_state state, const char *path)
{
    d->out->reported = true;
    d->out->state = state;
    d->out->path = path;
    return 0;
}

/* The file's path before: in the child, or else in the template; NULL: it was always `path`. */
static const char *where_it_was(const struct decision *d, const char *path)
{
    if (d->child && strcmp(d->child->path, path) != 0)
        return d->child->path;
    return d->base && strcmp(d->base->path, path) != 0 ? d->base->path : NULL;
}

static void add_note(const struct decision *d, const char *note)
{
    const char *before = d->out->note;
    d->out->note = before ? arena_printf(d->arena, "%s; %s", before, note) : note;
}

/* Keeps the child's file as it is, where it is. */
static int keep(const struct decision *d, enum path_state state)
{
    d->out->disk = d->child->entry;
    d->out->from_path = where_it_was(d, d->child->path);
    return report(d, state, d->child->path);
}

static int keep_deleted(const struct decision *d)
{
    if (d->render && !same(d->base, d->render))
        add_note(d, "the template changed it");
    if (d->triple->looks_like)
        add_note(d, arena_printf(d->arena, "your '%s' looks like it, and is left alone",
                                 d->triple->looks_like));
    (void)report(d, PATH_KEPT_DELETED, NULL);
    return 0;
}

static int conflict(const struct decision *d, const char *path, const struct tree_entry *disk,
                    const char *note)
{
    const char *more = d->out->note;
    d->out->conflict = true;
    d->out->from_path = where_it_was(d, path);
    d->out->disk = *disk;
    d->out->note = note;
    if (more)
        add_note(d, more);
    d->out->stages[BASE] = *entry_of(d->base);
    d->out->stages[CHILD] = *entry_of(d->child);
    d->out->stages[RENDER] = *entry_of(d->render);
    return report(d, PATH_CONFLICT, path);
}

static int add(const struct decision *d)
{
    d->out->disk = d->render->entry;
    return report(d, PATH_ADDED, d->render->path);
}

/* A `yours:` glob or the policy makes the update leave the file alone. */
static int leave(const struct decision *d)
{
    if (d->child) {
        (void)keep(d, PATH_KEPT_YOURS);
        d->out->reported = !same(d->base, d->child) || !same(d->base, d->render) ||
                           !same_path(d->base, d->child) || !same_path(d->base, d->render);
        return 0;
    }
    if (d->base)
        return keep_deleted(d);
    d->out->note = "not added: it is yours";
    return report(d, PATH_KEPT_YOURS, NULL);
}

static int alike(bool *out, const struct decision *d, const struct plan_file *a,
                 const struct plan_file *b)
{
    return three_way_alike(out, d->store, a, b, d->err);
}

/* The template dropped the file. One that differs in line endings alone counts as unchanged. */
static int decide_dropped(const struct decision *d)
{
    bool unchanged;
    if (!d->child)
        return keep_deleted(d);
    if (alike(&unchanged, d, d->base, d->child) < 0)
        return -1;
    if (!unchanged)
        return conflict(d, d->child->path, &d->child->entry,
                        "the template dropped it, you changed it");
    d->out->note = same(d->base, d->child) ? NULL : NOTE_ENDINGS_ALONE;
    if (same_path(d->base, d->child))
        return report(d, PATH_DELETED, NULL);
    return keep(d, PATH_KEPT_YOURS);
}

/* The template has a new file. */
static int decide_new(const struct decision *d)
{
    if (!d->child)
        return add(d);
    struct plan_file plain = *d->child; /* the child chooses the executable bit */
    bool equal = false;
    plain.entry.mode = d->render->entry.mode;
    if (tree_entry_is_file(&d->child->entry) && alike(&equal, d, &plain, d->render) < 0)
        return -1;
    /* the names differ by case alone */
    if (!same_path(d->child, d->render))
        add_note(d, arena_printf(d->arena, "the template has it as '%s'", d->render->path));
    if (!equal)
        return conflict(d, d->child->path, &d->child->entry, "you and the template both added it");
    if (!oid_equal(&d->child->entry.id, &d->render->entry.id))
        add_note(d, NOTE_ENDINGS_KEPT);
    return keep(d, PATH_ADOPTED);
}

static bool is_one_name_here(const struct decision *d)
{
    return d->input->any_case && names_alike(d->child->path, d->render->path);
}

/* True where the template moves the file to a name that the disk cannot tell from the old one. */
static bool keeps_name(const struct decision *d)
{
    return is_one_name_here(d) && same_path(d->base, d->child) && !same_path(d->base, d->render);
}

/*
 * Where the file lies afterwards: the child's choice first, then the template's. A link or a
 * submodule that the child put in its place stays: the template did not move that one. A name that
 * the disk cannot tell from the new one stays, too.
 */
static const char *destination_of(const struct decision *d)
{
    bool follows = same_path(d->base, d->child) && tree_entry_is_file(&d->child->entry) &&
                   !is_one_name_here(d);
    return follows ? d->render->path : d->child->path;
}

/* Notes that the template moved the file, which stays at the child's path. */
static int note_move(const struct decision *d)
{
    if (!same_path(d->base, d->render) && !same_path(d->child, d->render))
        add_note(d, arena_printf(d->arena, "the template moved it to '%s'%s", d->render->path,
                                 is_one_name_here(d) ? ", which is one name on this disk" : ""));
    return 0;
}

/* The child has the result already. */
static int nothing_to_do(const struct decision *d)
{
    bool child_changed = !same(d->base, d->child) || !same_path(d->base, d->child);
    bool template_changed = !same(d->base, d->render) || !same_path(d->base, d->render);
    bool both = template_changed && tree_entry_is_file(&d->child->entry);
    (void)keep(d, both ? PATH_MERGED : PATH_KEPT_YOURS);
    d->out->reported = child_changed || keeps_name(d);
    return note_move(d);
}

static int settle(const struct decision *d, const struct tree_entry *result)
{
    const char *path = destination_of(d);
    d->out->disk = *result;
    if (tree_entry_equal(result, &d->child->entry) && strcmp(path, d->child->path) == 0)
        return nothing_to_do(d);
    d->out->from_path = where_it_was(d, path);
    if (strcmp(path, d->child->path) != 0)
        return report(d, PATH_RENAMED, path);
    (void)report(d, same(d->base, d->child) ? PATH_UPDATED : PATH_MERGED, path);
    return note_move(d);
}

/* Why the policy forbids a merge; NULL: it does not, or one side changed line endings alone. */
static int why_unmerged(const char **out, const struct decision *d)
{
    bool unchanged = false;
    *out = policy_of(d)->conflicts;
    if (!*out)
        return 0;
    if (alike(&unchanged, d, d->base, d->child) < 0 ||
        (!unchanged && alike(&unchanged, d, d->base, d->render) < 0) ||
        (!unchanged && alike(&unchanged, d, d->child, d->render) < 0))
        return -1;
    if (unchanged)
        *out = NULL;
    return 0;
}

static int decide_both_changed(const struct decision *d)
{
    const char *why;
    struct three_way_input input = {
        .file = {d->base, d->child, d->render},
        .lines = d->rule && d->rule->merge == MERGE_LINES,
        .base_label = d->input->base_label,
        .render_label = d->input->render_label,
    };
    struct three_way merged;
    if (why_unmerged(&why, d) < 0 || three_way_merge(&merged, d->store, &input, d->err) < 0)
        return -1;
    if (merged.kind == THREE_WAY_CLEAN && !why) {
        d->out->merged_text = merged.text;
        d->out->note = merged.note;
        return settle(d, &merged.result);
    }
    if (merged.kind == THREE_WAY_CLEAN) /* the policy forbids it: modes alone are merged */
        merged.result.id = d->child->entry.id;
    const char *path = destination_of(d);
    (void)conflict(d, path, &merged.result, why ? why : merged.reason);
    return strcmp(path, d->child->path) == 0 ? note_move(d) : 0;
}

static int decide_everywhere(const struct decision *d)
{
    if (same(d->base, d->render) || same(d->child, d->render))
        return settle(d, &d->child->entry);
    if (same(d->base, d->child))
        return settle(d, &d->render->entry);
    return decide_both_changed(d);
}

int decide_file(struct outcome *out, struct arena *arena, struct store *store,
                const struct plan_input *input, const struct file_triple *triple, struct err *err)
{
    struct decision d = {.out = out,
                         .arena = arena,
                         .store = store,
                         .input = input,
                         .triple = triple,
                         .base = triple->side[BASE],
                         .child = triple->side[CHILD],
                         .render = triple->side[RENDER],
                         .rule = triple_rule(triple, input),
                         .err = err};
    *out = (struct outcome){0};
    if (d.render && !d.child && wanted_back(&d))
        return add(&d);
    if (triple_is_yours(triple, input))
        return leave(&d);
    if (policy_of(&d)->leaves_alone && (d.base || d.child))
        return leave(&d);
    if (!d.render)
        return decide_dropped(&d);
    if (!d.base)
        return decide_new(&d);
    return d.child ? decide_everywhere(&d) : keep_deleted(&d);
}

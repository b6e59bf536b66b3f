/* What becomes of one file that up to three trees have. */
#include "plan/decide/decide.h"

#include "base/arena.h"
#include "base/str.h"
#include "git/store.h"
#include "plan/case_names.h"
#include "plan/file_triple.h"
#include "plan/three_way.h"

#include <string.h>

struct resolver {
    struct outcome *out;
    struct arena *arena;
    struct store *store;
    const struct plan_input *input;
    const struct file_triple *unit;
    const struct plan_file *base, *child, *render; /* NULL: absent */
    const struct plan_file *rule;
    struct err *err;
};

static const struct tree_entry absent;

static const struct tree_entry *leaf_of(const struct plan_file *file)
{
    return file ? &file->leaf : &absent;
}

static bool same(const struct plan_file *a, const struct plan_file *b)
{
    return tree_entry_equal(leaf_of(a), leaf_of(b));
}

static bool same_path(const struct plan_file *a, const struct plan_file *b)
{
    return a && b && strcmp(a->path, b->path) == 0;
}

static const struct policy *policy_of(const struct resolver *r)
{
    return &file_policies[r->rule ? r->rule->policy : POLICY_MERGE];
}

static bool wanted_back(const struct resolver *r)
{
    for (size_t i = 0; i < r->input->restore_count; i++)
        for (int side = BASE; side < SIDES; side++)
            if (r->unit->side[side] && strcmp(r->input->restore[i], r->unit->side[side]->path) == 0)
                return true;
    return false;
}

static int report(const struct resolver *r, enum path_state state, const char *path)
{
    r->out->reported = true;
    r->out->state = state;
    r->out->path = path;
    return 0;
}

/* Where the file was in the child before, or else in the template; NULL: at `path` all along. */
static const char *where_it_was(const struct resolver *r, const char *path)
{
    if (r->child && strcmp(r->child->path, path) != 0)
        return r->child->path;
    return r->base && strcmp(r->base->path, path) != 0 ? r->base->path : NULL;
}

static void add_note(const struct resolver *r, const char *note)
{
    const char *before = r->out->note;
    r->out->note = before ? arena_printf(r->arena, "%s; %s", before, note) : note;
}

/* The child's file as it is, where it is. */
static int keep(const struct resolver *r, enum path_state state)
{
    r->out->disk = r->child->leaf;
    r->out->from_path = where_it_was(r, r->child->path);
    return report(r, state, r->child->path);
}

static int keep_deleted(const struct resolver *r)
{
    if (r->render && !same(r->base, r->render))
        add_note(r, "the template changed it");
    if (r->unit->looks_like)
        add_note(r, arena_printf(r->arena, "your '%s' looks like it, and is left alone",
                                 r->unit->looks_like));
    (void)report(r, PATH_KEPT_DELETED, NULL);
    return 0;
}

static int conflict(const struct resolver *r, const char *path, const struct tree_entry *disk,
                    const char *note)
{
    const char *more = r->out->note;
    r->out->conflict = true;
    r->out->from_path = where_it_was(r, path);
    r->out->disk = *disk;
    r->out->note = note;
    if (more)
        add_note(r, more);
    r->out->stages[BASE] = *leaf_of(r->base);
    r->out->stages[CHILD] = *leaf_of(r->child);
    r->out->stages[RENDER] = *leaf_of(r->render);
    return report(r, PATH_CONFLICT, path);
}

static int add(const struct resolver *r)
{
    r->out->disk = r->render->leaf;
    return report(r, PATH_ADDED, r->render->path);
}

/* Left alone: a `yours:` glob or the policy says so. */
static int leave(const struct resolver *r)
{
    if (r->child) {
        (void)keep(r, PATH_KEPT_YOURS);
        r->out->reported = !same(r->base, r->child) || !same(r->base, r->render) ||
                           !same_path(r->base, r->child) || !same_path(r->base, r->render);
        return 0;
    }
    if (r->base)
        return keep_deleted(r);
    r->out->note = "not added: it is yours";
    return report(r, PATH_KEPT_YOURS, NULL);
}

static int alike(bool *out, const struct resolver *r, const struct plan_file *a,
                 const struct plan_file *b)
{
    return three_way_alike(out, r->store, a, b, r->err);
}

/* A file whose line endings alone differ from the base's is the base's. */
static int resolve_dropped(const struct resolver *r)
{
    bool unchanged;
    if (!r->child)
        return keep_deleted(r);
    if (alike(&unchanged, r, r->base, r->child) < 0)
        return -1;
    if (!unchanged)
        return conflict(r, r->child->path, &r->child->leaf,
                        "the template dropped it, you changed it");
    r->out->note = same(r->base, r->child) ? NULL : NOTE_ENDINGS_ALONE;
    if (same_path(r->base, r->child))
        return report(r, PATH_DELETED, NULL);
    return keep(r, PATH_KEPT_YOURS);
}

static int resolve_new(const struct resolver *r)
{
    if (!r->child)
        return add(r);
    struct plan_file plain = *r->child; /* the bit is the child's to choose */
    bool equal = false;
    plain.leaf.mode = r->render->leaf.mode;
    if (tree_entry_is_file(&r->child->leaf) && alike(&equal, r, &plain, r->render) < 0)
        return -1;
    /* by a name that differs in case alone */
    if (!same_path(r->child, r->render))
        add_note(r, arena_printf(r->arena, "the template has it as '%s'", r->render->path));
    if (!equal)
        return conflict(r, r->child->path, &r->child->leaf, "you and the template both added it");
    if (!oid_equal(&r->child->leaf.id, &r->render->leaf.id))
        add_note(r, NOTE_ENDINGS_KEPT);
    return keep(r, PATH_ADOPTED);
}

static bool is_one_name_here(const struct resolver *r)
{
    return r->input->any_case && names_alike(r->child->path, r->render->path);
}

/* The template moves it, and only the disk is against that. */
static bool place_is_kept(const struct resolver *r)
{
    return is_one_name_here(r) && same_path(r->base, r->child) && !same_path(r->base, r->render);
}

/*
 * Where the file lies afterwards: the child's choice first, then the template's. What the child
 * made a link or a submodule is another thing than the file that the template moves: it stays. So
 * does a name on a disk that cannot tell it from the new one.
 */
static const char *place(const struct resolver *r)
{
    bool follows =
        same_path(r->base, r->child) && tree_entry_is_file(&r->child->leaf) && !is_one_name_here(r);
    return follows ? r->render->path : r->child->path;
}

/* It lies at the child's path: where the template has another one for it now, that is told. */
static int note_move(const struct resolver *r)
{
    if (!same_path(r->base, r->render) && !same_path(r->child, r->render))
        add_note(r, arena_printf(r->arena, "the template moved it to '%s'%s", r->render->path,
                                 is_one_name_here(r) ? ", which is one name on this disk" : ""));
    return 0;
}

/* The child has the result already. */
static int nothing_to_do(const struct resolver *r)
{
    bool child_changed = !same(r->base, r->child) || !same_path(r->base, r->child);
    bool template_changed = !same(r->base, r->render) || !same_path(r->base, r->render);
    bool both = template_changed && tree_entry_is_file(&r->child->leaf);
    (void)keep(r, both ? PATH_MERGED : PATH_KEPT_YOURS);
    r->out->reported = child_changed || place_is_kept(r);
    return note_move(r);
}

static int settle(const struct resolver *r, const struct tree_entry *result)
{
    const char *path = place(r);
    r->out->disk = *result;
    if (tree_entry_equal(result, &r->child->leaf) && strcmp(path, r->child->path) == 0)
        return nothing_to_do(r);
    r->out->from_path = where_it_was(r, path);
    if (strcmp(path, r->child->path) != 0)
        return report(r, PATH_RENAMED, path);
    (void)report(r, same(r->base, r->child) ? PATH_UPDATED : PATH_MERGED, path);
    return note_move(r);
}

/* What its policy says of a file that both changed; NULL: nothing, or one changed endings alone. */
static int why_apart(const char **out, const struct resolver *r)
{
    bool unchanged = false;
    *out = policy_of(r)->conflicts;
    if (!*out)
        return 0;
    if (alike(&unchanged, r, r->base, r->child) < 0 ||
        (!unchanged && alike(&unchanged, r, r->base, r->render) < 0) ||
        (!unchanged && alike(&unchanged, r, r->child, r->render) < 0))
        return -1;
    if (unchanged)
        *out = NULL;
    return 0;
}

static int resolve_both_changed(const struct resolver *r)
{
    const char *apart;
    struct three_way_input input = {
        .file = {r->base, r->child, r->render},
        .lines = r->rule && r->rule->merge == MERGE_LINES,
        .base_label = r->input->base_label,
        .render_label = r->input->render_label,
    };
    struct three_way merged;
    if (why_apart(&apart, r) < 0 || three_way_merge(&merged, r->store, &input, r->err) < 0)
        return -1;
    if (merged.kind == THREE_WAY_CLEAN && !apart) {
        r->out->merged_text = merged.text;
        r->out->note = merged.note;
        return settle(r, &merged.result);
    }
    if (merged.kind == THREE_WAY_CLEAN) /* by its policy: the modes merge all the same */
        merged.result.id = r->child->leaf.id;
    const char *path = place(r);
    (void)conflict(r, path, &merged.result, apart ? apart : merged.reason);
    return strcmp(path, r->child->path) == 0 ? note_move(r) : 0;
}

static int resolve_everywhere(const struct resolver *r)
{
    if (same(r->base, r->render) || same(r->child, r->render))
        return settle(r, &r->child->leaf);
    if (same(r->base, r->child))
        return settle(r, &r->render->leaf);
    return resolve_both_changed(r);
}

int decide_file(struct outcome *out, struct arena *arena, struct store *store,
                const struct plan_input *input, const struct file_triple *unit, struct err *err)
{
    struct resolver r = {.out = out,
                         .arena = arena,
                         .store = store,
                         .input = input,
                         .unit = unit,
                         .base = unit->side[BASE],
                         .child = unit->side[CHILD],
                         .render = unit->side[RENDER],
                         .rule = triple_rule(unit, input),
                         .err = err};
    *out = (struct outcome){0};
    if (r.render && !r.child && wanted_back(&r))
        return add(&r);
    if (triple_is_yours(unit, input))
        return leave(&r);
    if (policy_of(&r)->leaves_alone && (r.base || r.child))
        return leave(&r);
    if (!r.render)
        return resolve_dropped(&r);
    if (!r.base)
        return resolve_new(&r);
    return r.child ? resolve_everywhere(&r) : keep_deleted(&r);
}

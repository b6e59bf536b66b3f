/* Makes a plan: from base, child and new render to the outcome for each path. */
#include "plan/planner.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/json.h"
#include "data/toml.h"
#include "data/yaml.h"
#include "git/store.h"
#include "plan/decide/destinations.h"
#include "plan/pair.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the place of every file */

/* Stops following the triple's rename. False where there is none, or it was not followed. */
static bool stop_following(bool *unfollowed, const struct placement *p, size_t triple)
{
    const struct file_triple *files = &p->triples[triple];
    const struct plan_file *base = files->side[BASE];
    bool moved = false;
    for (int side = CHILD; base && side < SIDES; side++)
        if (files->side[side] && strcmp(files->side[side]->path, base->path) != 0)
            moved = true;
    bool *here = moved ? &unfollowed[base - p->input->side[BASE].files] : NULL;
    if (!here || *here)
        return false;
    *here = true;
    return true;
}

/* True where a file of the child stays at the path and is not the triple's. */
static bool is_occupied(const struct placement *p, const char *path, size_t triple)
{
    const struct plan_file *file = child_at(p, path, triple);
    return file && file != p->triples[triple].side[CHILD] &&
           !p->vacated[file - child_list(p)->files];
}

/* Where two files get one path, those that came there by a rename are paired by name alone. */
static bool settle_collisions(bool *unfollowed, const struct placement *p)
{
    bool any = false;
    for (size_t i = 0; i < p->destination_count; i++) {
        const struct destination *one = &p->destinations[i];
        if (i + 1 < p->destination_count && strcmp(one->path, one[1].path) == 0) {
            any |= stop_following(unfollowed, p, one->triple);
            any |= stop_following(unfollowed, p, one[1].triple);
        }
        if (is_occupied(p, one->path, one->triple))
            any |= stop_following(unfollowed, p, one->triple);
    }
    return any;
}

/* A renamed file may not replace a folder, nor go below a file that stays. */
static bool settle_blocked(bool *unfollowed, const struct placement *p)
{
    bool any = false;
    for (size_t i = 0; i < p->triple_count; i++)
        if (destination_is_blocked(p, i))
            any |= stop_following(unfollowed, p, i);
    return any;
}

/* Fetches the child's files that will be merged, all at once. */
static void look_ahead(const struct placement *p, const struct store *store)
{
    ARENA_SCRATCH(scratch);
    struct oid *ids = arena_array(&scratch, p->triple_count + 1, sizeof(*ids));
    size_t count = 0;
    for (size_t i = 0; i < p->triple_count; i++) {
        const struct plan_file *const *side = p->triples[i].side;
        if (side[BASE] && side[CHILD] && side[RENDER] &&
            !oid_equal(&side[BASE]->entry.id, &side[CHILD]->entry.id) &&
            !oid_equal(&side[BASE]->entry.id, &side[RENDER]->entry.id))
            ids[count++] = side[CHILD]->entry.id;
    }
    store_look_ahead(store, ids, count);
}

static int decide_all(struct placement *p, struct store *store, const bool *unfollowed,
                      struct err *err)
{
    if (pair_files(&p->triples, &p->triple_count, p->arena, store, p->input, unfollowed, err) < 0)
        return -1;
    p->outcomes = arena_array(p->arena, p->triple_count + 1, sizeof(*p->outcomes));
    p->destinations = arena_array(p->arena, p->triple_count + 1, sizeof(*p->destinations));
    look_ahead(p, store);
    for (size_t i = 0; i < p->triple_count; i++)
        if (decide_file(&p->outcomes[i], p->arena, store, p->input, &p->triples[i], err) < 0)
            return -1;
    list_destinations(p);
    return 0;
}

/* Each turn gives up at least one rename, so the loop ends. */
static int place_files(struct placement *p, struct store *store, struct err *err)
{
    bool *unfollowed = arena_array(p->arena, p->input->side[BASE].count + 1, 1);
    p->vacated = arena_array(p->arena, child_list(p)->count + 1, 1);
    do {
        if (decide_all(p, store, unfollowed, err) < 0)
            return -1;
    } while (settle_collisions(unfollowed, p) || settle_blocked(unfollowed, p));
    return 0;
}

/* ---------------------------------------------------------------- files to bring back */

static bool has_path(const struct file_triple *triple, const char *path)
{
    for (int side = BASE; side < SIDES; side++)
        if (triple->side[side] && strcmp(triple->side[side]->path, path) == 0)
            return true;
    return false;
}

/* Why the file that once had the name `path` cannot be brought back; NULL: it can. */
static const char *why_not_restorable(const struct placement *p, const char *path)
{
    const char *why = "the template has no such file";
    if (plan_list_find(child_list(p), path))
        return "it is there";
    for (size_t i = 0; i < p->triple_count; i++) {
        const struct file_triple *triple = &p->triples[i];
        if (!has_path(triple, path))
            continue;
        if (triple->side[RENDER] && !triple->side[CHILD])
            return NULL;
        why = triple->side[CHILD]
                  ? arena_printf(p->arena, "it is there, as '%s'", triple->side[CHILD]->path)
                  : "the template has it no more";
    }
    return why;
}

static int check_restore(const struct placement *p, struct err *err)
{
    for (size_t i = 0; i < p->input->restore.count; i++) {
        const char *path = p->input->restore.items[i], *why = why_not_restorable(p, path);
        if (why)
            return err_set(err, TG_USAGE, "not-restorable", "cannot restore '%s': %s", path, why);
    }
    return 0;
}

/* ---------------------------------------------------------------- syntax */

static bool parses_yaml(struct arena *arena, const char *path, struct span content)
{
    ERR_SCRATCH(err);
    struct yaml_doc *doc;
    return yaml_parse(&doc, arena, path, content, &err) == 0;
}

static bool parses_json(struct arena *arena, const char *path, struct span content)
{
    ERR_SCRATCH(err);
    struct data *data;
    return json_parse(&data, arena, path, content, &err) == 0;
}

static bool parses_toml(struct arena *arena, const char *path, struct span content)
{
    (void)arena, (void)path;
    return toml_valid(content);
}

typedef bool parses(struct arena *arena, const char *path, struct span content);

/* By the ending of a name, or by the whole name. */
static const struct syntax {
    const char *name, *ending, *whole;
    parses *parses;
} syntaxes[] = {
    {"YAML", ".yml", NULL, parses_yaml},     {"YAML", ".yaml", NULL, parses_yaml},
    {"JSON", ".json", NULL, parses_json},    {"TOML", ".toml", NULL, parses_toml},
    {"TOML", NULL, "uv.lock", parses_toml},  {"TOML", NULL, "poetry.lock", parses_toml},
    {"TOML", NULL, "pdm.lock", parses_toml}, {"TOML", NULL, "Cargo.lock", parses_toml},
    {"TOML", NULL, "Pipfile", parses_toml},
};

static const struct syntax *syntax_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof(syntaxes) / sizeof(*syntaxes); i++) {
        const struct syntax *one = &syntaxes[i];
        if (one->whole ? strcmp(name, one->whole) == 0 : str_ends(name, one->ending))
            return one;
    }
    return NULL;
}

/* ---------------------------------------------------------------- the plan */

static void list_pairs(struct plan *out, const struct placement *p)
{
    out->pairs = arena_array(p->arena, p->triple_count + 1, sizeof(*out->pairs));
    for (size_t i = 0; i < p->triple_count; i++) {
        struct plan_pair *pair = &out->pairs[out->pair_count++];
        memcpy(pair->side, p->triples[i].side, sizeof(pair->side));
        pair->path = p->outcomes[i].path;
    }
}

static void edit_triple(struct plan *out, const struct placement *p, size_t triple)
{
    static const struct tree_entry absent;
    const struct plan_file *child = p->triples[triple].side[CHILD];
    const struct outcome *outcome = &p->outcomes[triple];
    bool stays = stays_in_place(p, triple);
    if (stays && p->vacated[child - child_list(p)->files])
        return; /* moved aside: its edits are made */
    if (child && !stays && !is_destination(p, child->path))
        (void)plan_add_edit(out, p->arena, child->path, &child->entry);
    if (!outcome->path)
        return;
    const struct plan_file *there = child_at(p, outcome->path, triple);
    const struct tree_entry *old = there ? &there->entry : &absent;
    if (!outcome->conflict && tree_entry_equal(old, &outcome->disk))
        return;
    struct plan_edit *edit = plan_add_edit(out, p->arena, outcome->path, old);
    edit->disk = outcome->disk;
    edit->conflict = outcome->conflict;
    memcpy(edit->stages, outcome->stages, sizeof(edit->stages));
}

static const char *report_path(const struct file_triple *triple, const struct outcome *outcome)
{
    static const enum side order[] = {RENDER, BASE, CHILD};
    if (outcome->path)
        return outcome->path;
    for (size_t i = 0; i < SIDES; i++)
        if (triple->side[order[i]] &&
            (outcome->state != PATH_KEPT_DELETED || order[i] != RENDER || !triple->side[BASE]))
            return triple->side[order[i]]->path;
    return "";
}

static void report_triple(struct plan *out, const struct placement *p, size_t triple)
{
    const struct outcome *outcome = &p->outcomes[triple];
    const struct plan_file *rule = triple_rule(&p->triples[triple], p->input);
    if (!outcome->reported)
        return;
    plan_add_path(out, &(struct plan_path){.path = report_path(&p->triples[triple], outcome),
                                           .from_path = outcome->from_path,
                                           .state = outcome->state,
                                           .has_policy = rule != NULL,
                                           .policy = rule ? rule->policy : POLICY_MERGE,
                                           .note = outcome->note});
}

/* A clean merge may still break the syntax of a file. */
static int check_syntax(struct plan *out, const struct placement *p, const struct store *store,
                        size_t triple, struct err *err)
{
    ARENA_SCRATCH(scratch);
    STORE_BYTES_SCRATCH(before);
    STORE_BYTES_SCRATCH(after);
    const struct outcome *outcome = &p->outcomes[triple];
    const struct plan_file *child = p->triples[triple].side[CHILD];
    const char *path = outcome->path;
    bool merged = outcome->merged_text && !outcome->conflict && child;
    const struct syntax *syntax = merged ? syntax_of(path) : NULL;
    if (!syntax)
        return 0;
    if (store_get(&before, store, STORE_BLOB, &child->entry.id, child->path, err) < 0 ||
        store_get(&after, store, STORE_BLOB, &outcome->disk.id, path, err) < 0)
        return -1;
    if (syntax->parses(&scratch, path, before.bytes) &&
        !syntax->parses(&scratch, path, after.bytes))
        words_printf(&out->warnings, p->arena,
                     "'%s' merged, but is no valid %s any more: look at it", path, syntax->name);
    return 0;
}

static struct span folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return span_of(path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Notes that the template moved a whole folder away, and files of the child stay behind. */
static void note_left_behind(struct plan *out, const struct placement *p)
{
    const char *last = "";
    for (size_t i = 0; i < p->triple_count; i++) {
        const struct outcome *outcome = &p->outcomes[i];
        if (!outcome->reported || outcome->state != PATH_RENAMED)
            continue;
        struct span old = folder_of(outcome->from_path);
        if (old.len == 0 || span_equal(old, folder_of(outcome->path)))
            continue;
        const char *folder = arena_memdup(p->arena, old.ptr, old.len);
        const struct plan_file *left = first_staying(p, folder);
        if (!left || strcmp(folder, last) == 0 ||
            plan_list_has_folder(&p->input->side[RENDER], folder))
            continue;
        last = folder;
        words_printf(&out->warnings, p->arena,
                     "the template moved '%s' away; your own files stay, such as '%s'", folder,
                     left->path);
    }
}

/* How much a line of the report says about its path. */
static int weight(const struct plan_path *line)
{
    return line->state == PATH_CONFLICT                                      ? 2
           : line->state == PATH_DELETED || line->state == PATH_KEPT_DELETED ? 0
                                                                             : 1;
}

/* Where a file takes the path of one that is gone, the path keeps the line of the present file. */
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

static int write_plan(struct plan *out, struct placement *p, const struct store *store,
                      struct err *err)
{
    /* One line for each triple, and one for each of the child's own files that moves aside. */
    out->paths = arena_array(p->arena, p->triple_count * 2 + 1, sizeof(*out->paths));
    clear_destinations(out, p);
    list_pairs(out, p);
    for (size_t i = 0; i < p->triple_count; i++) {
        edit_triple(out, p, i);
        report_triple(out, p, i);
        if (check_syntax(out, p, store, i, err) < 0)
            return -1;
    }
    note_left_behind(out, p);
    qsort(out->paths, out->path_count, sizeof(*out->paths), str_compare_first);
    drop_doubles(out);
    plan_sort_edits(out->edits, out->edit_count);
    return 0;
}

int plan_make(struct plan *out, struct arena *arena, struct store *store,
              const struct plan_input *input, struct err *err)
{
    struct placement p = {.arena = arena, .input = input};
    *out = (struct plan){0};
    if (place_files(&p, store, err) < 0 || check_restore(&p, err) < 0 ||
        write_plan(out, &p, store, err) < 0)
        return -1;
    return budget_steps(0, err); /* a glob that ran out of steps matches nothing */
}

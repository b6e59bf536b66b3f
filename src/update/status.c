/* `status` and `diff`: a child as it lies on disk against what it was made from. */
#include "update/status.h"

#include "apply/apply.h"
#include "base/account.h"
#include "base/arena.h"
#include "catalog/origin.h"
#include "catalog/trust.h"
#include "child/child.h"
#include "child/tracked.h"
#include "data/data.h"
#include "git/odb_failure.h"
#include "git/patch.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/file_triple.h"
#include "plan/pair.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/rebase/rebase_progress.h"
#include "update/recover.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/resume/pending_files.h"
#include "update/target/target.h"

#include <stdlib.h>
#include <string.h>

/* One comparison. */
struct comparing {
    struct arena *arena;
    struct child child;
    struct target target;
    struct base base;
    struct unfinished unfinished;
    struct plan_list disk; /* the child's tracked files as they lie there */
    struct data *warnings;
    bool fetch;
    struct err *err;
};

static void warn(struct comparing *c, const char *text)
{
    data_push(c->arena, c->warnings, data_str(c->arena, text));
}

/*
 * Where the first commit's replay stopped, HEAD is at the new render, which has no record: the
 * branch says what the child is.
 */
static int look_at_branch(struct comparing *c)
{
    struct repo *repo = &c->child.repo;
    const struct journal *j = &c->unfinished.journal;
    struct commit tip;
    struct record record;
    bool found;
    if (c->unfinished.state == APPLY_NONE || !journal_is_sequence(j) ||
        !store_has(repo->store, &j->branch_old))
        return 0;
    if (provenance_at(&record, &found, repo, &repo->head, c->err) < 0)
        return -1;
    if (found)
        return 0;
    repo->head = j->branch_old;
    if (repo_commit(&tip, c->arena, repo->store, &repo->head, c->err) < 0)
        return -1;
    repo->tree = tip.tree;
    return 0;
}

/* An adoption that is half done has no record yet: then that comes first. */
static int read_provenance(struct comparing *c)
{
    struct recovery begun = {.child = &c->child, .err = c->err};
    bool done;
    if (provenance_read(&c->child.record, &c->child.repo, c->err) == 0)
        return 0;
    if (str_equal(c->err->code, "no-record"))
        (void)!recover_first(&begun, true, &done);
    return -1;
}

static int open_child(struct comparing *c, const char *path)
{
    if (child_open(&c->child, c->arena, path, c->err) < 0 ||
        apply_look(&c->unfinished, c->arena, &c->child.repo, c->err) < 0 || look_at_branch(c) < 0 ||
        child_read(&c->child, c->err) < 0 || read_provenance(c) < 0)
        return -1;
    return child_list_tracked(&c->disk, &c->child, c->err);
}

static int prove(struct comparing *c, bool looks, struct err *err)
{
    struct base_options options = {.looks = looks};
    return base_prove(&c->base, &c->child.repo, &c->child.record.made, &options, err);
}

/* ---------------------------------------------------------------- status */

struct status_line {
    const char *path, *state;
    const struct plan_file *rule;
};

struct status_lines {
    struct status_line *items;
    size_t count;
};

static void add_unit(struct status_lines *lines, const struct plan_input *input,
                     const struct file_triple *unit)
{
    const struct plan_file *base = unit->side[BASE], *child = unit->side[CHILD];
    const char *state = NULL;
    if (!child)
        state = "deleted";
    else if (strcmp(base->path, child->path) != 0)
        state = "renamed";
    else if (!tree_entry_equal(&base->leaf, &child->leaf))
        state = "modified";
    if (state && triple_is_yours(unit, input))
        state = "yours";
    if (state)
        lines->items[lines->count++] =
            (struct status_line){child ? child->path : base->path, state, triple_rule(unit, input)};
}

/* What no file of the template is, nor of a child inside this one. */
static void add_own(struct status_lines *lines, const struct comparing *c,
                    const struct plan_input *input, const struct file_triple *units, size_t count)
{
    bool *paired = arena_array(c->arena, c->disk.count + 1, sizeof(*paired));
    for (size_t i = 0; i < count; i++)
        if (units[i].side[CHILD])
            paired[units[i].side[CHILD] - input->side[CHILD].files] = true;
    for (size_t i = 0; i < c->disk.count; i++) {
        struct file_triple own = {.side = {NULL, &c->disk.files[i], NULL}};
        if (!paired[i] && !c->disk.files[i].nested)
            lines->items[lines->count++] = (struct status_line){
                c->disk.files[i].path, triple_is_yours(&own, input) ? "yours" : "added", NULL};
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct status_line *)a)->path, ((const struct status_line *)b)->path);
}

/* With whether it is the waiting update's, and not the child's. */
static int put_line(struct data *list, const struct comparing *c, const struct status_line *line)
{
    struct data *map = data_map(c->arena);
    bool waits;
    if (pending_files_has(&waits, &c->unfinished, &c->child.repo,
                          repo_path(&c->child.repo, line->path), c->err) < 0)
        return -1;
    data_put(c->arena, map, "path", data_str(c->arena, line->path));
    data_put(c->arena, map, "state", data_str(c->arena, line->state));
    data_put(c->arena, map, "policy",
             data_str(c->arena, line->rule ? file_policy_names[line->rule->policy] : NULL));
    data_put(c->arena, map, "from_update", data_bool(c->arena, waits));
    data_push(c->arena, list, map);
    return 0;
}

static int list_paths(struct data *list, struct comparing *c)
{
    struct file_triple *units;
    size_t count;
    struct plan_input input = {.side = {c->base.files, conflicts_apart(c->arena, &c->disk), {0}},
                               .base_has_rules = c->base.has_rules,
                               .yours = c->child.record.wanted.yours,
                               .yours_count = c->child.record.wanted.yours_count};
    if (pair_files(&units, &count, c->arena, c->child.repo.store, &input, NULL, c->err) < 0)
        return -1;
    struct status_lines lines = {
        .items = arena_array(c->arena, count + c->disk.count + 1, sizeof(*lines.items))};
    for (size_t i = 0; i < count; i++)
        add_unit(&lines, &input, &units[i]);
    add_own(&lines, c, &input, units, count);
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(*lines.items), by_path);
    for (size_t i = 0; i < lines.count; i++)
        if (put_line(list, c, &lines.items[i]) < 0)
            return -1;
    return 0;
}

/* The record or the overlay, unless it is as the waiting update wrote it. */
static int warn_of_dirty(struct comparing *c)
{
    const char *dirty;
    bool waits = false;
    if (provenance_find_dirty(&dirty, &c->child.repo, &c->child.record, c->err) < 0 ||
        (dirty && pending_files_has(&waits, &c->unfinished, &c->child.repo, dirty, c->err) < 0))
        return -1;
    if (dirty && !waits)
        warn(c, arena_printf(c->arena, PROVENANCE_DIRTY, dirty));
    return 0;
}

static int find_paths(struct data **out, struct comparing *c)
{
    ERR_SCRATCH(why);
    *out = data_list(c->arena);
    if (prove(c, true, &why) == 0)
        return list_paths(*out, c);
    warn(c, arena_printf(c->arena, "what you changed is not known: %s", why.message));
    return 0;
}

/* Another commit, of the catalog or of what it extends. */
static bool has_moved(const struct catalog_origin *here, const struct catalog_origin *there)
{
    for (; here && there; here = here->extends, there = there->extends)
        if (here->commit && there->commit && strcmp(here->commit, there->commit) != 0)
            return true;
    return false;
}

/* As `update --check` has it, but another commit is news without being rendered. */
static int look_for_update(bool *found, struct comparing *c, struct err *err)
{
    struct target_options options = {.looks = true};
    struct target *target = &c->target;
    *found = false;
    if (target_choose(target, c->arena, &c->child.record, &options, err) < 0)
        return -1;
    if (target->nothing_new)
        return 0;
    *found = has_moved(&c->child.record.wanted.catalog, &target->origin);
    if (*found)
        return 0;
    if (target_make(target, err) < 0)
        return -1;
    *found = !record_is_same(&target->record, &c->child.record.wanted);
    return 0;
}

/* `version` stays NULL where there is no update, or where none can be found out. */
static int find_update(const char **version, struct comparing *c)
{
    ERR_SCRATCH(why);
    bool found;
    int rc = look_for_update(&found, c, c->fetch ? c->err : &why);
    if (rc < 0 && c->fetch)
        return -1;
    for (size_t i = 0; i < c->target.warning_count; i++)
        warn(c, c->target.warnings[i]);
    if (rc < 0)
        warn(c, arena_printf(c->arena, "whether there is an update is not known: %s", why.message));
    *version = rc == 0 && found ? c->target.origin.version : NULL;
    return 0;
}

static const char *in_progress(const struct unfinished *unfinished)
{
    switch (unfinished->state) {
    case APPLY_FORWARD:
        return "update-interrupted";
    case APPLY_BACKWARD:
        return "abort-interrupted";
    case APPLY_STOPPED:
    case APPLY_ASTRAY:
        return end_state_of(unfinished->journal.kind)->result;
    default:
        return NULL;
    }
}

static int make_status(struct data **document, struct comparing *c)
{
    struct data *update = data_map(c->arena), *paths, *replay;
    const char *available;
    if (rebase_progress_data(&replay, &c->unfinished, &c->child.repo, c->err) < 0 ||
        find_paths(&paths, c) < 0 || warn_of_dirty(c) < 0)
        return -1;
    if (find_update(&available, c) < 0)
        return -1;
    const char *left = conflicts_left(c->arena, &c->disk);
    if (left)
        warn(c, left);
    data_put(c->arena, update, "available", data_str(c->arena, available));
    if (available && c->target.origin.extends)
        data_put(c->arena, update, "extends", origin_data(c->arena, c->target.origin.extends));
    *document = data_map(c->arena);
    data_put(c->arena, *document, "template", data_str(c->arena, c->child.record.wanted.type));
    data_put(c->arena, *document, "catalog",
             origin_record(c->arena, &c->child.record.wanted.catalog));
    data_put(c->arena, *document, "update", update);
    data_put(c->arena, *document, "signature", signature_data(c->arena, &c->target.origin));
    data_put(c->arena, *document, "in_progress", data_str(c->arena, in_progress(&c->unfinished)));
    data_put(c->arena, *document, "replay", replay);
    data_put(c->arena, *document, "paths", paths);
    data_put(c->arena, *document, "warnings", c->warnings);
    return 0;
}

/* ---------------------------------------------------------------- diff */

static int put_disk(struct oid *tree, struct comparing *c)
{
    struct tree_edit *edits = arena_array(c->arena, c->disk.count + 1, sizeof(*edits));
    size_t count = 0;
    for (size_t i = 0; i < c->disk.count; i++)
        if (!c->disk.files[i].nested || plan_list_find(&c->base.files, c->disk.files[i].path))
            edits[count++] = (struct tree_edit){c->disk.files[i].path, c->disk.files[i].leaf};
    return tree_edit(tree, c->child.repo.store, c->child.repo.store, NULL, edits, count, c->err);
}

static int make_diff(struct data **document, struct comparing *c)
{
    struct oid base, disk;
    struct span patch;
    char hex[41];
    if (prove(c, false, c->err) < 0 ||
        plan_list_put(&base, c->child.repo.store, c->arena, &c->base.files, c->err) < 0 ||
        put_disk(&disk, c) < 0 ||
        patch_trees(&patch, c->arena, &c->child.repo, &base, &disk, c->err) < 0)
        return -1;
    struct data *proof = data_map(c->arena);
    oid_hex(hex, &c->base.tree);
    data_put(c->arena, proof, "tree", data_str(c->arena, hex));
    data_put(c->arena, proof, "proven_by", data_str(c->arena, proof_names[c->base.proof]));
    *document = data_map(c->arena);
    data_put(c->arena, *document, "base", proof);
    data_put(c->arena, *document, "diff", data_span(c->arena, patch));
    return 0;
}

static int compare(struct data **document, struct comparing *c, const char *path,
                   int (*make)(struct data **, struct comparing *))
{
    c->warnings = data_list(c->arena);
    int rc = open_child(c, path);
    if (rc == 0)
        rc = make(document, c);
    if (rc == 0 && odb_failure_check(c->err) < 0) { /* what was not found may be there */
        *document = data_map(c->arena);
        rc = -1;
    }
    if (rc < 0)
        (void)child_explain(&c->child, c->err);
    target_close(&c->target);
    child_close(&c->child);
    return rc;
}

int status_document(struct data **document, struct arena *arena, const char *path, bool fetch,
                    struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct comparing c = {.arena = arena, .fetch = fetch, .err = err};
    return compare(document, &c, path, make_status);
}

int diff_document(struct data **document, struct arena *arena, const char *path, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct comparing c = {.arena = arena, .err = err};
    return compare(document, &c, path, make_diff);
}

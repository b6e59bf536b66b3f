/* `status` and `diff`: compare a child on disk with its base. */
#include "update/status.h"

#include "apply/apply.h"
#include "base/account.h"
#include "base/arena.h"
#include "catalog/origin.h"
#include "catalog/trust.h"
#include "child/child.h"
#include "data/document.h"
#include "git/commit.h"
#include "git/disk_entry.h"
#include "git/odb_failure.h"
#include "git/patch.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/pair.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/resume/recover.h"
#include "update/target/update_target.h"

#include <stdlib.h>
#include <string.h>

/* The child to look at. */
struct project {
    struct child child;
    struct unfinished unfinished;
    const char *other; /* the folder of the project whose update is unfinished; NULL: this one's */
    struct plan_list disk; /* its tracked files as they are on disk */
};

/* ---------------------------------------------------------------- the child */

static bool has_sequence(const struct unfinished *unfinished)
{
    return unfinished->state != APPLY_NONE && journal_is_sequence(&unfinished->journal);
}

/*
 * Where a rebase stopped at the first commit, HEAD is at the new render, which has no record: then
 * the child's state is that of the branch.
 */
static int look_at_branch(struct repo *repo, const struct unfinished *unfinished, struct err *err)
{
    const struct oid *branch = &unfinished->journal.tip.branch_old;
    struct commit tip;
    struct record record;
    bool found;
    if (!has_sequence(unfinished) || !store_has(repo->store, branch))
        return 0;
    if (provenance_at(&record, &found, repo, &repo->head, err) < 0)
        return -1;
    if (found)
        return 0;
    repo->head = *branch;
    if (repo_commit(&tip, repo->arena, repo->store, &repo->head, err) < 0)
        return -1;
    repo->tree = tip.tree;
    return 0;
}

/* An unfinished adoption has no record yet: then the error tells of the adoption. */
static int read_provenance(struct child *child, struct err *err)
{
    struct recovery ignored;
    if (provenance_read(&child->record, &child->repo, err) == 0)
        return 0;
    if (str_equal(err->code, "no-record"))
        (void)!recover_first(&ignored, child, NULL, err);
    return -1;
}

static int open_project(struct project *p, struct arena *arena, const char *path, struct err *err)
{
    struct child *child = &p->child;
    if (child_open(child, arena, path, err) < 0)
        return str_equal(err->code, "no-repository")
                   ? err_hint(err, "a project is in a git repository: go to its folder, or name it")
                   : -1;
    if (apply_look(&p->unfinished, &child->repo, err) < 0 ||
        recover_other(&p->other, &child->repo, &p->unfinished, err) < 0)
        return -1;
    if (p->other)
        p->unfinished.state = APPLY_NONE;
    if (look_at_branch(&child->repo, &p->unfinished, err) < 0 || child_read(child, err) < 0 ||
        read_provenance(child, err) < 0)
        return -1;
    return child_list_tracked(&p->disk, child, err);
}

static int prove(struct base *out, const struct child *child, bool looks, struct err *err)
{
    struct base_options options = {.looks = looks};
    return base_prove(out, &child->repo, &child->record.made, &options, err);
}

/* ---------------------------------------------------------------- an unfinished update */

/*
 * True where the path (from the top) has the content that an unfinished update put there. False for
 * a conflict, which the user must resolve.
 */
static int is_from_update(bool *out, const struct project *p, const char *path, struct err *err)
{
    const struct unfinished *unfinished = &p->unfinished;
    struct disk_entry disk;
    bool waits = unfinished->state != APPLY_NONE && unfinished->state != APPLY_STALE;
    const struct path_change *change =
        waits ? journal_change(&unfinished->journal.files, path) : NULL;
    *out = false;
    if (!change || path_change_conflicts(change) || !path_change_on_disk(change))
        return 0;
    if (disk_look(&disk, NULL, NULL, p->child.repo.top_fd, path, err) < 0)
        return -1;
    bool gone = change->new.kind == DISK_ABSENT &&disk.kind == DISK_FOLDER;
    *out = gone || disk_equal(&disk, &change->new);
    return 0;
}

/*
 * Warns of the record or the overlay, unless the unfinished update wrote it so, and of a glob of
 * the record that does nothing.
 */
static int warn_of_record(struct words *warnings, const struct project *p, struct err *err)
{
    const struct child *child = &p->child;
    const char *dirty;
    bool is = false;
    if (provenance_find_dirty(&dirty, &child->repo, &child->record, err) < 0 ||
        (dirty && is_from_update(&is, p, dirty, err) < 0))
        return -1;
    if (dirty && !is)
        words_printf(warnings, child->arena, PROVENANCE_DIRTY, dirty);
    const char *idle = record_idle_glob(&child->record.wanted);
    if (idle)
        words_printf(warnings, child->arena, RECORD_IDLE_GLOB, idle);
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

/* How far a stopped rebase has come: {branch, commit, subject, step, steps}, or null. */
static int make_progress(struct data **out, const struct project *p, struct err *err)
{
    const struct repo *repo = &p->child.repo;
    const struct journal *j = &p->unfinished.journal;
    struct arena *arena = repo->arena;
    struct raw_commit raw = {.subject = NULL};
    size_t step = 0;
    *out = data_null(arena);
    if (!has_sequence(&p->unfinished))
        return 0;
    while (step < j->steps.count && !oid_is_zero(&j->steps.items[step].made))
        step++;
    const struct oid *commit = step < j->steps.count ? &j->steps.items[step].picked : NULL;
    if (commit && store_has(repo->store, commit) &&
        raw_commit_read(&raw, arena, repo->store, commit, err) < 0)
        return -1;
    *out = data_of(arena, FIELD("branch", repo_branch_name(j->tip.branch)),
                   FIELD("commit", commit ? oid_text(arena, commit) : NULL),
                   FIELD("subject", raw.subject),
                   FIELD("step", data_int(arena, (int64_t)step + (commit != NULL))),
                   FIELD("steps", j->steps.count));
    return 0;
}

/* ---------------------------------------------------------------- paths */

/* A path that differs. */
struct path_line {
    const char *path, *state;
    const struct plan_file *rule; /* NULL: it has no policy */
};

struct path_lines {
    const struct plan_input *input;
    struct path_line *items;
    size_t count;
};

static void add_triple(struct path_lines *out, const struct file_triple *triple)
{
    const struct plan_file *base = triple->side[BASE], *child = triple->side[CHILD];
    const char *state = NULL;
    if (!child)
        state = "deleted";
    else if (strcmp(base->path, child->path) != 0)
        state = "renamed";
    else if (!tree_entry_equal(&base->entry, &child->entry))
        state = "modified";
    if (state && triple_is_yours(triple, out->input))
        state = "yours";
    if (state)
        out->items[out->count++] = (struct path_line){child ? child->path : base->path, state,
                                                      triple_rule(triple, out->input)};
}

/* Adds files that are neither the template's nor those of a nested child. */
static void add_own(struct path_lines *out, struct arena *arena, const struct plan_list *disk,
                    const struct file_triple *triples, size_t count)
{
    bool *paired = arena_array(arena, disk->count + 1, sizeof(*paired));
    for (size_t i = 0; i < count; i++)
        if (triples[i].side[CHILD])
            paired[triples[i].side[CHILD] - out->input->side[CHILD].files] = true;
    for (size_t i = 0; i < disk->count; i++) {
        const struct plan_file *file = &disk->files[i];
        struct file_triple own = {.side = {NULL, file, NULL}};
        if (!paired[i] && !file->nested)
            out->items[out->count++] = (struct path_line){
                file->path, triple_is_yours(&own, out->input) ? "yours" : "added", NULL};
    }
}

static int put_line(struct data *list, const struct project *p, const struct path_line *line,
                    struct err *err)
{
    struct arena *arena = p->child.arena;
    bool from_update;
    if (is_from_update(&from_update, p, repo_path(&p->child.repo, line->path), err) < 0)
        return -1;
    data_push(arena, list,
              data_of(arena, FIELD("path", line->path), FIELD("state", line->state),
                      FIELD("policy", line->rule ? file_policy_names[line->rule->policy] : NULL),
                      FIELD("from_update", from_update)));
    return 0;
}

static int list_paths(struct data *list, const struct project *p, const struct base *base,
                      struct err *err)
{
    const struct child *child = &p->child;
    struct file_triple *triples;
    size_t count;
    struct plan_input input = {.side = {base->files, conflicts_apart(child->arena, &p->disk), {0}},
                               .base_has_rules = base->has_rules,
                               .yours = child->record.wanted.yours};
    struct path_lines lines = {.input = &input};
    if (pair_files(&triples, &count, child->arena, child->repo.store, &input, NULL, err) < 0)
        return -1;
    lines.items = arena_array(child->arena, count + p->disk.count + 1, sizeof(*lines.items));
    for (size_t i = 0; i < count; i++)
        add_triple(&lines, &triples[i]);
    add_own(&lines, child->arena, &p->disk, triples, count);
    qsort(lines.items, lines.count, sizeof(*lines.items), str_compare_first);
    for (size_t i = 0; i < lines.count; i++)
        if (put_line(list, p, &lines.items[i], err) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- the next version */

/* True where the commits of the catalog, or of a catalog that it extends, differ. */
static bool has_moved(const struct catalog_origin *here, const struct catalog_origin *there)
{
    for (; here && there; here = here->extends, there = there->extends)
        if (here->commit && there->commit && strcmp(here->commit, there->commit) != 0)
            return true;
    return false;
}

/* Looks as `update --check` does, but does not render another commit. */
static int look_for_update(bool *found, struct target *target, const struct child *child,
                           struct err *err)
{
    static const struct target_options options = {.looks = true};
    *found = false;
    if (target_choose(target, child->arena, &child->record, &options, err) < 0)
        return -1;
    if (target->nothing_new)
        return 0;
    *found = has_moved(&child->record.wanted.catalog, &target->origin);
    if (*found)
        return 0;
    if (target_make(target, err) < 0)
        return -1;
    *found = !record_is_same(&target->record, &child->record.wanted);
    return 0;
}

/* `*version` is NULL where there is no update; without `fetch` also where none is known. */
static int find_update(const char **version, struct target *target, struct words *warnings,
                       const struct child *child, bool fetch, struct err *err)
{
    ERR_SCRATCH(why);
    bool found;
    int rc = look_for_update(&found, target, child, fetch ? err : &why);
    if (rc < 0 && fetch)
        return -1;
    for (size_t i = 0; i < target->warnings.count; i++)
        words_add(warnings, child->arena, target->warnings.items[i]);
    if (rc < 0)
        words_printf(warnings, child->arena, "whether there is an update is not known: %s",
                     why.message);
    *version = rc == 0 && found ? target->origin.version : NULL;
    return 0;
}

/* ---------------------------------------------------------------- status */

static int find_paths(struct data **out, struct words *warnings, const struct project *p,
                      struct err *err)
{
    ERR_SCRATCH(why);
    struct base base;
    struct arena *arena = p->child.arena;
    *out = data_list(arena);
    if (prove(&base, &p->child, true, &why) < 0) {
        words_printf(warnings, arena, "what you changed is not known: %s", why.message);
        return 0;
    }
    return list_paths(*out, p, &base, err);
}

static int make_status(struct data **document, const struct project *p, struct target *target,
                       bool fetch, struct err *err)
{
    const struct record *record = &p->child.record.wanted;
    struct arena *arena = p->child.arena;
    struct data *paths, *replay;
    struct words warnings = {0};
    const char *available;
    if (make_progress(&replay, p, err) < 0 || find_paths(&paths, &warnings, p, err) < 0 ||
        warn_of_record(&warnings, p, err) < 0 ||
        find_update(&available, target, &warnings, &p->child, fetch, err) < 0)
        return -1;
    const char *left = conflicts_left(arena, &p->disk);
    if (left)
        words_add(&warnings, arena, left);
    if (p->other)
        words_printf(&warnings, arena,
                     "an update of another project of this repository is not over: that of '%s'",
                     p->other);
    struct data *update = data_of(arena, FIELD("available", available));
    if (available && target->origin.extends)
        data_put(arena, update, "extends", origin_data(arena, target->origin.extends));
    *document =
        data_of(arena, FIELD("template", record->type),
                FIELD("catalog", origin_record(arena, &record->catalog)), FIELD("update", update),
                FIELD("signature", signature_data(arena, &target->origin)),
                FIELD("in_progress", in_progress(&p->unfinished)), FIELD("replay", replay),
                FIELD("paths", paths), FIELD("warnings", warnings));
    return 0;
}

/* A missing object may exist but be unreadable: then that is the error. */
static int close_project(struct data **document, struct project *p, int rc, struct err *err)
{
    if (rc == 0 && odb_failure_check(err) < 0) {
        *document = data_map(p->child.arena);
        rc = -1;
    }
    if (rc < 0)
        (void)child_explain(&p->child, err);
    child_close(&p->child);
    return rc;
}

int status_document(struct data **document, struct arena *arena, const char *path, bool fetch,
                    struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct project project = {0};
    struct target target = {0};
    int rc = open_project(&project, arena, path, err);
    if (rc == 0)
        rc = make_status(document, &project, &target, fetch, err);
    rc = close_project(document, &project, rc, err);
    target_close(&target);
    return rc;
}

/* ---------------------------------------------------------------- diff */

static int put_disk(struct oid *tree, const struct project *p, const struct base *base,
                    struct err *err)
{
    const struct plan_list *disk = &p->disk;
    struct store *store = p->child.repo.store;
    struct tree_edit *edits = arena_array(p->child.arena, disk->count + 1, sizeof(*edits));
    size_t count = 0;
    for (size_t i = 0; i < disk->count; i++)
        if (!disk->files[i].nested || plan_list_find(&base->files, disk->files[i].path))
            edits[count++] = (struct tree_edit){disk->files[i].path, disk->files[i].entry};
    return tree_edit(tree, store, store, NULL, edits, count, err);
}

static int make_diff(struct data **document, const struct project *p, struct err *err)
{
    const struct repo *repo = &p->child.repo;
    struct arena *arena = p->child.arena;
    struct base base;
    struct oid before, disk;
    struct span patch;
    if (prove(&base, &p->child, false, err) < 0 ||
        plan_list_put(&before, repo->store, arena, &base.files, err) < 0 ||
        put_disk(&disk, p, &base, err) < 0 ||
        patch_trees(&patch, arena, repo, &before, &disk, err) < 0)
        return -1;
    *document = data_of(arena, FIELD("base", base_data(arena, &base)),
                        FIELD("diff", data_span(arena, patch)));
    return 0;
}

int diff_document(struct data **document, struct arena *arena, const char *path, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct project project = {0};
    int rc = open_project(&project, arena, path, err);
    if (rc == 0)
        rc = make_diff(document, &project, err);
    return close_project(document, &project, rc, err);
}

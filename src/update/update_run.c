/* `update`: a child takes the newest version of its template. */
#include "apply/apply.h"
#include "apply/preflight.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/origin.h"
#include "child/child.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/repo.h"
#include "git/upstream.h"
#include "io/interrupt.h"
#include "plan/plan.h"
#include "plan/planner.h"
#include "update/base/base_given.h"
#include "update/base/base_render.h"
#include "update/base/proven_base.h"
#include "update/report/update_report.h"
#include "update/resume/branch_refresh.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/resume/recover.h"
#include "update/strategy.h"
#include "update/strategy/commit_plan.h"
#include "update/summary.h"
#include "update/target/update_target.h"
#include "update/update.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Handles and data that live as long as the run. */
struct update_run {
    struct child child;
    struct apply *apply; /* NULL with --check and --dry-run: nothing may change */
    struct target target;
    struct base base;
    struct words warnings;
};

static bool only_looks(const struct update_options *options)
{
    return options->check || options->dry_run;
}

/* Reports an update without a plan. */
static int report(struct update_outcome *out, const struct update_facts *facts,
                  const struct words *warnings, const char *result, int code)
{
    out->document = report_unplanned(facts, warnings, result);
    return code;
}

/* ---------------------------------------------------------------- --restore */

/* Makes `path`, as seen from the folder `from`, absolute: without "." and "..", by names alone. */
static const char *absolute(struct arena *arena, const char *from, const char *path)
{
    const char *rest = *path == '/' ? path : arena_printf(arena, "%s/%s", from, path);
    char *out = arena_alloc(arena, strlen(rest) + 2);
    size_t len = 0;
    while (*rest) {
        size_t part = strcspn(rest, "/");
        bool here = part == 0 || (part == 1 && *rest == '.');
        if (part == 2 && memcmp(rest, "..", 2) == 0) {
            while (len && out[--len] != '/')
                ;
        } else if (!here) {
            out[len++] = '/';
            memcpy(out + len, rest, part);
            len += part;
        }
        rest += part + (rest[part] == '/');
    }
    out[len] = '\0';
    return out;
}

/* The path in the child, or NULL where it lies elsewhere. */
static const char *inside(const struct child *c, const char *path)
{
    const char *folder = arena_printf(c->arena, "%s%s", c->repo.top, c->repo.prefix);
    return str_starts(path, folder) ? path + strlen(folder) : NULL;
}

static bool is_known(const struct plan_input *input, const char *path)
{
    for (int side = BASE; side < SIDES; side++)
        if (plan_list_find(&input->side[side], path))
            return true;
    return false;
}

static const char *find_one(const struct child *c, const struct plan_input *input, const char *said)
{
    char here[PATH_MAX];
    const char *folder = arena_printf(c->arena, "%s%s", c->repo.top, c->repo.prefix);
    const char *path = NULL;
    if (getcwd(here, sizeof(here)))
        path = inside(c, absolute(c->arena, here, said));
    if (path && is_known(input, path))
        return path;
    path = inside(c, absolute(c->arena, folder, said));
    return path ? path : said;
}

/* HEAD has the file: where only the disk lacks it, git restores it. */
static int check_deleted(const struct child *c, const char *path, const char *said, struct err *err)
{
    const char *whole = repo_path(&c->repo, path);
    struct index_item item;
    struct disk_entry disk;
    if (disk_look(&disk, NULL, NULL, c->repo.top_fd, whole, err) < 0)
        return -1;
    bool gone = disk.kind == DISK_ABSENT || disk.kind == DISK_BLOCKED;
    if (!gone || (index_find(&item, c->index, whole) && item.sparse))
        return 0; /* the planner reports that it exists */
    (void)err_set(err, TG_USAGE, "not-restorable",
                  "cannot restore '%s': it is only deleted on disk", said);
    return err_hint(err, "`%s` brings it back",
                    shell_command(c->arena, "git restore -- %s", repo_pathspec(c->arena, said)));
}

/*
 * Finds the paths in the child that the user `said`. A name starts in the working folder where the
 * child or a template has such a file, else in the child's folder. Exit 2, "not-restorable", where
 * HEAD has the file, and only the disk lacks it.
 */
static int find_restored(struct words *out, const struct child *child,
                         const struct plan_input *input, const struct words *said, struct err *err)
{
    *out = (struct words){0};
    for (size_t i = 0; i < said->count; i++) {
        const char *path = find_one(child, input, said->items[i]);
        if (plan_list_find(&input->side[CHILD], path) &&
            check_deleted(child, path, said->items[i], err) < 0)
            return -1;
        words_add(out, child->arena, path);
    }
    return 0;
}

/* ---------------------------------------------------------------- the decision */

static int prove_base(struct base *out, const struct update_facts *f, struct words *warnings,
                      struct err *err)
{
    const struct child *child = f->child;
    struct base_options options = {.commit = f->options->base,
                                   .trust = f->options->trust_base,
                                   .child = &child->files,
                                   .render = &f->render,
                                   .alike = &f->target->render,
                                   .accept_drift = f->options->accept_drift,
                                   .moved_to = f->options->target.source};
    if (base_prove(out, &child->repo, &child->record.made, &options, err) < 0)
        return -1;
    if (out->note)
        words_add(warnings, child->arena, out->note);
    return 0;
}

static int make_plan(struct update_decision *d, const struct update_facts *f, struct err *err)
{
    const struct child *child = f->child;
    const struct record *record = &child->record.wanted;
    struct arena *arena = child->arena;
    d->input = (struct plan_input){
        .side = {f->base->files, conflicts_apart(arena, &child->files), f->render},
        .base_has_rules = f->base->has_rules,
        .renames = f->target->migrated.files,
        .yours = record->yours,
        .any_case = disk_ignores_case(child->repo.top_fd),
        .base_label =
            arena_printf(arena, "template %s", origin_words(arena, &child->record.made.catalog)),
        .render_label =
            arena_printf(arena, "template %s", origin_words(arena, &f->target->origin))};
    if (find_restored(&d->input.restore, child, &d->input, &f->options->restore, err) < 0)
        return -1;
    return plan_make(&d->plan, arena, child->repo.store, &d->input, err);
}

/* A base that --base names has the child's own edits: where the template wins they are undone. */
static void warn_of_undone(struct plan *plan, const struct update_facts *f, struct words *warnings)
{
    struct arena *arena = f->child->arena;
    struct words list = {0};
    struct intern undone = {0};
    for (size_t i = 0; i < f->base->undone.count; i++)
        (void)intern_add(&undone, arena, span_from(f->base->undone.items[i]));
    for (size_t i = 0; undone.count && i < plan->path_count; i++) {
        struct plan_path *path = &plan->paths[i];
        if (intern_find(&undone, span_from(path->path)) == INTERN_NONE ||
            (path->state != PATH_UPDATED && path->state != PATH_MERGED))
            continue;
        const char *before = path->note;
        path->note = arena_printf(arena, "%s%sundone: what you had changed in it by '%s'",
                                  before ? before : "", before ? "; " : "", f->options->base);
        words_add(&list, arena, path->path);
    }
    if (list.count)
        words_printf(warnings, arena,
                     "--trust-base: what '%s' has counts as the template's; undone is "
                     "what you had changed by then in %s",
                     f->options->base, base_given_list(arena, &list, ""));
}

static int decide(struct update_decision *d, const struct update_facts *f, struct words *warnings,
                  struct err *err)
{
    const struct child *child = f->child;
    *d = (struct update_decision){.beside = NULL};
    if (make_plan(d, f, err) < 0)
        return -1;
    warn_of_undone(&d->plan, f, warnings);
    const char *left = conflicts_left(child->arena, &child->files);
    if (left)
        words_add(warnings, child->arena, left);
    if (f->options->commit_conflicts && d->plan.conflict_count)
        d->beside = conflicts_commit(&d->beside_count, child->arena, child, &d->plan);
    return 0;
}

/* ---------------------------------------------------------------- the facts */

static int check_upstream(const struct child *child, struct err *err)
{
    struct record theirs;
    struct oid commit;
    bool found;
    const char *name;
    const struct catalog_origin *here = &child->record.wanted.catalog;
    if (upstream_find(&commit, &found, &name, &child->repo, err) < 0)
        return -1;
    if (!found)
        return 0;
    if (provenance_at(&theirs, &found, &child->repo, &commit, err) < 0)
        return -1;
    if (!found || origin_compare(&theirs.catalog, here) <= 0)
        return 0;
    (void)err_set(err, TG_REFUSED, "behind-upstream",
                  "'%s' is at version %s of the template already, here it is %s", name,
                  origin_words(child->arena, &theirs.catalog), origin_words(child->arena, here));
    return err_hint(err, "pull first");
}

static int check_root(const struct repo *repo, const struct strategy *strategy, struct err *err)
{
    if (!strategy->at_root || !*repo->prefix)
        return 0;
    (void)err_set(err, TG_REFUSED, "not-at-root",
                  "the strategy '%s' is for a project at its repository's root: this one lies in "
                  "'%.*s'",
                  strategy->name, (int)strlen(repo->prefix) - 1, repo->prefix);
    return err_hint(err, "'--strategy pick' updates it where it lies");
}

static int check_repository(struct refresh *refresh, const struct child *child,
                            const struct update_options *options, struct err *err)
{
    const struct repo *repo = &child->repo;
    if (check_root(repo, options->strategy, err) < 0 || preflight_born(repo, err) < 0 ||
        preflight_repository(repo, child->index, &child->head, options->branch, options->refresh,
                             err) < 0)
        return -1;
    if (options->refresh && branch_refresh_check(refresh, repo, options->branch, err) < 0)
        return -1;
    return check_upstream(child, err);
}

/*
 * Warns of a glob of the record that does nothing. --check uses the committed record, and warns of
 * changes on disk.
 */
static int check_disk(struct child *child, bool check, struct words *warnings, struct err *err)
{
    const char *path, *idle = record_idle_glob(&child->record.wanted);
    if (idle)
        words_printf(warnings, child->arena, RECORD_IDLE_GLOB, idle);
    if (!check && preflight_merged(&child->repo, &child->index, err) < 0)
        return -1;
    if (!check)
        return provenance_check_disk(&child->repo, &child->record, err);
    if (provenance_find_dirty(&path, &child->repo, &child->record, err) < 0)
        return -1;
    if (path)
        words_printf(warnings, child->arena, PROVENANCE_DIRTY, path);
    return 0;
}

/* ---------------------------------------------------------------- the run */

static int update(struct update_outcome *out, struct update_run *r,
                  const struct update_options *options, struct err *err)
{
    struct child *child = &r->child;
    struct update_facts facts = {
        .options = options, .child = child, .target = &r->target, .base = &r->base};
    struct update_decision decision;
    if (target_choose(&r->target, child->arena, &child->record, &options->target, err) < 0)
        return -1;
    if (r->target.nothing_new && !options->restore.count)
        return !only_looks(options) && preflight_state(&child->repo, err) < 0
                   ? -1
                   : report(out, &facts, &r->warnings, RESULT_UP_TO_DATE, TG_OK);
    if (!options->check &&
        (child_read(child, err) < 0 || check_repository(&facts.refresh, child, options, err) < 0))
        return -1;
    int rc = target_make(&r->target, err);
    out->refusal = r->target.refusal;
    if (rc < 0)
        return -1;
    if (record_is_same(&r->target.record, &child->record.wanted) && !options->restore.count)
        return report(out, &facts, &r->warnings, RESULT_UP_TO_DATE, TG_OK);
    if (options->check)
        return report(out, &facts, &r->warnings, RESULT_AVAILABLE, TG_DIFFERS);
    base_list_render(&facts.render, child->arena, &r->target.render);
    if (interrupt_check(err) < 0 || prove_base(&r->base, &facts, &r->warnings, err) < 0 ||
        decide(&decision, &facts, &r->warnings, err) < 0)
        return -1;
    return commit_plan(out, r->apply, &facts, &decision, &r->warnings, err);
}

/* Settles an unfinished update first; `*done` where nothing else is due. */
static int settle_unfinished(struct update_outcome *out, bool *done, struct update_run *r,
                             const char *output, struct err *err)
{
    struct recovery recovery;
    int rc = recover_first(&recovery, &r->child, r->apply, err);
    *done = recovery.done;
    out->document = recovery.document;
    if (rc >= 0 && recovery.done)
        interrupt_settle();
    if (rc == 0 && recovery.note)
        words_add(&r->warnings, r->child.arena, recovery.note);
    /* the finished run may have brought a file of that name */
    if (rc >= 0 && recovery.done && summary_place_check(output, &r->child.repo, err) < 0)
        return -1;
    return rc;
}

static int run(struct update_outcome *out, struct update_run *r, struct arena *arena,
               const struct update_options *options, struct err *err)
{
    struct child *child = &r->child;
    bool done;
    if (options->branch && preflight_branch_name(options->branch, err) < 0)
        return -1;
    if (child_open(child, arena, options->path, err) < 0 ||
        summary_place_check(options->output, &child->repo, err) < 0)
        return -1;
    if (!only_looks(options) && apply_open(&r->apply, &child->repo, err) < 0)
        return -1;
    int rc = settle_unfinished(out, &done, r, options->output, err);
    if (rc < 0 || done)
        return rc;
    if (provenance_read(&child->record, &child->repo, err) < 0 ||
        check_disk(child, options->check, &r->warnings, err) < 0)
        return -1;
    return update(out, r, options, err);
}

int update_run(struct update_outcome *out, struct arena *arena,
               const struct update_options *options, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct update_run r = {.apply = NULL};
    *out = (struct update_outcome){NULL, NULL};
    int rc = run(out, &r, arena, options, err);
    if (rc < 0)
        (void)child_explain(&r.child, err);
    apply_close(r.apply);
    target_close(&r.target);
    child_close(&r.child);
    return rc;
}

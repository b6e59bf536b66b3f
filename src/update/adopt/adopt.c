/* `adopt`: a repository that was not made from a template gets one, and keeps its files. */
#include "update/adopt.h"

#include "apply/apply.h"
#include "apply/preflight.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/str.h"
#include "catalog/origin.h"
#include "child/child.h"
#include "child/making.h"
#include "data/document.h"
#include "git/disk_entry.h"
#include "git/store.h"
#include "io/interrupt.h"
#include "plan/plan.h"
#include "plan/planner.h"
#include "update/adopt/adopt_guess.h"
#include "update/adopt/adopt_search.h"
#include "update/base/base_render.h"
#include "update/base/proven_base.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/resume/recover.h"
#include "update/strategy.h"
#include "update/strategy/commit_plan.h"
#include "update/target/update_target.h"

#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES_PATH ".gitattributes"
#define RECORD_ATTRIBUTE "/" RECORD_PATH " -merge"
#define RESULT_ADOPTED "adopted" /* `result`, besides those of an update */

/* The facts that it finds before it decides anything. */
struct adoption {
    const struct adopt_options *options;
    struct child *child;
    struct making making;
    struct guesses guesses;
    struct plan_list render;
};

/* The decision. */
struct adoption_plan {
    struct alike alike; /* the base of files that are merged */
    struct words yours; /* globs of files that stay the user's */
    struct plan plan;
};

/* ---------------------------------------------------------------- checks */

static int refuse_child(const struct child *child, struct err *err)
{
    const struct repo *repo = &child->repo;
    if (strcmp(repo->prefix, child_folder(child)) != 0) {
        (void)err_set(err, TG_REFUSED, "nested-child",
                      "'%s' lies in a project of a template already: '%s' is there", repo->start,
                      repo_path(repo, RECORD_PATH));
        return err_hint(err, "'tmplgen update' takes that one's newest version");
    }
    (void)err_set(err, TG_REFUSED, "already-adopted",
                  "'%s' is a project of a template already: it has a %s", repo->start, RECORD_PATH);
    return err_hint(err, "'tmplgen update' takes its newest version");
}

/* No run is unfinished any more: the chosen folder becomes a child. */
static int check_child(struct child *child, struct err *err)
{
    bool found;
    if (child_has_record(&found, child, err) < 0)
        return -1;
    if (found)
        return refuse_child(child, err);
    child->repo.prefix = child_folder(child);
    return 0;
}

static int check_repository(struct child *child, const char *branch, struct err *err)
{
    if (preflight_merged(&child->repo, &child->index, err) < 0 || child_read(child, err) < 0)
        return -1;
    return preflight_repository(&child->repo, child->index, &child->head, branch, false, err);
}

/* ---------------------------------------------------------------- the making */

/* The matrix overlay in HEAD. */
static int read_overlay(struct span *out, const struct child *child, struct err *err)
{
    const struct plan_file *file = plan_list_find(&child->files, OVERLAY_PATH);
    *out = span_of("", 0);
    return file && tree_entry_is_file(&file->entry)
               ? store_copy(out, child->arena, child->repo.store, STORE_BLOB, &file->entry.id,
                            OVERLAY_PATH, err)
               : 0;
}

/* FRAMEWORK-TYPE; with `stack: none` the folder's name, else TYPE. */
static const char *default_name(const struct making *m, const struct child *child)
{
    const char *last = strrchr(child->repo.start, '/');
    return !m->manifest->has_stack && last && last[1] ? last + 1 : making_name(m);
}

static int make(struct adoption *a, struct data **refusal, struct err *err)
{
    const struct adopt_options *options = a->options;
    struct arena *arena = a->child->arena;
    struct making *m = &a->making;
    *m = (struct making){.arena = arena, .catalog = options->catalog, .asker = options->asker};
    if (read_overlay(&m->overlay, a->child, err) < 0 || making_type(m, options->type, err) < 0 ||
        guess_all(&a->guesses, arena, a->child, m, err) < 0)
        return -1;
    int rc = guess_stack(&a->guesses, arena, m, options->stack, options->request, err);
    *refusal = m->refusal;
    if (rc < 0 ||
        guess_answers(&a->guesses, arena, m, options->answers, default_name(m, a->child), err) <
            0 ||
        making_render(m, err) < 0)
        return -1;
    render_keep_bytes(&m->render, arena);
    base_list_render(&a->render, arena, &m->render);
    return 0;
}

/* ---------------------------------------------------------------- the user's own files */

static int plan_once(struct adoption_plan *out, const struct adoption *a, struct err *err)
{
    const struct child *child = a->child;
    struct arena *arena = child->arena;
    const char *version = out->alike.version;
    struct plan_input input = {
        .side = {out->alike.base, child->files, a->render},
        .yours = out->yours,
        .any_case = disk_ignores_case(child->repo.top_fd),
        .base_label = version ? arena_printf(arena, "template %s", version) : "template",
        .render_label =
            arena_printf(arena, "template %s", origin_words(arena, &a->making.catalog->origin))};
    return plan_make(&out->plan, arena, child->repo.store, &input, err);
}

/* Gives each file that differs and is not merged to the user. False where there is none. */
static bool take_as_yours(struct adoption_plan *out, struct arena *arena)
{
    bool any = false;
    for (size_t i = 0; i < out->plan.path_count; i++) {
        const struct plan_path *path = &out->plan.paths[i];
        if (path->state != PATH_CONFLICT || plan_list_find(&out->alike.base, path->path))
            continue;
        words_add(&out->yours, arena, glob_of_path(arena, path->path));
        any = true;
    }
    return any;
}

static bool is_file_at(const struct plan_list *list, const char *path)
{
    const struct plan_file *file = plan_list_find(list, path);
    return file && tree_entry_is_file(&file->entry) && !file->nested;
}

/* True where the path differs, and --merge names it. */
static bool is_to_merge(const struct adoption *a, const struct plan_path *path)
{
    if (path->state != PATH_CONFLICT || !is_file_at(&a->child->files, path->path) ||
        !is_file_at(&a->render, path->path))
        return false;
    for (size_t i = 0; i < a->options->merge.count; i++)
        if (glob_match(a->options->merge.items[i], path->path))
            return true;
    return false;
}

/* Finds the files to merge, and their base. */
static int find_bases(struct adoption_plan *out, const struct adoption *a, struct words *warnings,
                      struct err *err)
{
    struct arena *arena = a->child->arena;
    struct words paths = {0};
    if (a->options->merge.count == 0)
        return 0;
    if (plan_once(out, a, err) < 0)
        return -1;
    for (size_t i = 0; i < out->plan.path_count; i++)
        if (is_to_merge(a, &out->plan.paths[i]))
            words_add(&paths, arena, out->plan.paths[i].path);
    if (paths.count)
        return adopt_search(&out->alike, arena, a->child, &a->making.record, &paths, err);
    words_add(warnings, arena, "--merge: no file of such a path differs from the template's");
    return 0;
}

/* Marks a seed that the user has exactly as in the template as adopted. */
static void settle_seeds(struct plan *plan, const struct adoption *a)
{
    for (size_t i = 0; i < plan->path_count; i++) {
        struct plan_path *path = &plan->paths[i];
        const struct plan_file *mine = plan_list_find(&a->child->files, path->path);
        const struct plan_file *theirs = plan_list_find(&a->render, path->path);
        if (path->state == PATH_KEPT_YOURS && mine && theirs &&
            tree_entry_equal(&mine->entry, &theirs->entry))
            path->state = PATH_ADOPTED;
    }
}

/* Each turn gives at least one more path to the user, so the loop ends. */
static int decide(struct adoption_plan *out, const struct adoption *a, struct words *warnings,
                  struct err *err)
{
    *out = (struct adoption_plan){.yours = {NULL, 0}};
    if (find_bases(out, a, warnings, err) < 0)
        return -1;
    do {
        if (plan_once(out, a, err) < 0)
            return -1;
    } while (take_as_yours(out, a->child->arena));
    settle_seeds(&out->plan, a);
    if (out->yours.count)
        qsort(out->yours.items, out->yours.count, sizeof(*out->yours.items), str_compare_first);
    return 0;
}

/* ---------------------------------------------------------------- warnings */

static bool has_line(struct span text, const char *wanted)
{
    while (text.len) {
        struct span line = span_cut_line(&text);
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (span_equal(line, span_from(wanted)))
            return true;
    }
    return false;
}

/* The entry that a path of the child has afterwards. */
static struct tree_entry entry_afterwards(const struct child *child, const struct plan *plan,
                                          const char *path)
{
    const struct plan_file *file = plan_list_find(&child->files, path);
    for (size_t i = 0; i < plan->edit_count; i++)
        if (strcmp(plan->edits[i].path, path) == 0)
            return plan->edits[i].disk;
    return file ? file->entry : (struct tree_entry){0};
}

/* Where the user's own .gitattributes stays, git would merge the record as text. */
static int check_attributes(struct words *warnings, const struct adoption *a,
                            const struct plan *plan, struct err *err)
{
    const struct child *child = a->child;
    const struct plan_file *render = plan_list_find(&a->render, ATTRIBUTES_PATH);
    struct tree_entry entry = entry_afterwards(child, plan, ATTRIBUTES_PATH);
    STORE_BYTES_SCRATCH(text);
    if (render && tree_entry_equal(&entry, &render->entry))
        return 0;
    if (tree_entry_is_file(&entry)) {
        if (store_get(&text, child->repo.store, STORE_BLOB, &entry.id, ATTRIBUTES_PATH, err) < 0)
            return -1;
        if (has_line(text.bytes, RECORD_ATTRIBUTE))
            return 0;
    }
    words_add(warnings, child->arena,
              "your " ATTRIBUTES_PATH
              " has no line for the record, so that git merges that as text: "
              "add '" RECORD_ATTRIBUTE "' to it");
    return 0;
}

/* With a new pyproject.toml pip no longer reads packages from the user's own files. */
static void check_build(struct words *warnings, const struct child *child, const struct plan *plan)
{
    static const char file[] = "pyproject.toml";
    static const char *const own[] = {"setup.py", "setup.cfg"};
    if (plan_list_find(&child->files, file) ||
        entry_afterwards(child, plan, file).mode == LEAF_ABSENT)
        return;
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (plan_list_find(&child->files, own[i])) {
            words_printf(warnings, child->arena,
                         "'%s' is new, and pip builds by it, no more by your '%s': see "
                         "that it names your package",
                         file, own[i]);
            return;
        }
}

/* ---------------------------------------------------------------- the run */

/* Fills in the members that only `adopt` has. The document may be that of an interrupted update. */
static void complete(struct data *document, struct arena *arena, struct data *guesses,
                     const struct adoption_plan *plan)
{
    static const struct adoption_plan none;
    const struct adoption_plan *p = plan ? plan : &none;
    if (str_equal(data_get_text(document, "result"), RESULT_UPDATED) &&
        !data_get_text(data_get(document, "from"), "version"))
        data_put_text(arena, document, "result", RESULT_ADOPTED);
    data_add(arena, document, FIELD("guesses", guesses ? guesses : data_list(arena)),
             FIELD("search", p->alike.report), FIELD("yours", p->yours));
}

static int commit(struct update_outcome *out, struct apply *apply, const struct adoption *a,
                  const struct adoption_plan *plan, struct words *warnings, struct err *err)
{
    const struct making *m = &a->making;
    struct arena *arena = a->child->arena;
    const struct update_options options = {.path = a->options->path,
                                           .dry_run = a->options->dry_run,
                                           .no_commit = a->options->no_commit,
                                           .strategy = &strategy_default,
                                           .branch = a->options->branch,
                                           .signoff = a->options->signoff,
                                           .message = a->options->message};
    struct target target = {.origin = m->catalog->origin,
                            .catalog_name = m->catalog->name,
                            .manifest = m->manifest,
                            .render = m->render,
                            .record = m->record,
                            .stack = stack_changes(arena, NULL, m->resolution)};
    const struct base base = {.files = plan->alike.base};
    if (m->catalog->warning)
        words_add(&target.warnings, arena, m->catalog->warning);
    target.record.yours = plan->yours;
    a->child->record = (struct provenance){.wanted = target.record};
    const struct update_facts facts = {.options = &options,
                                       .child = a->child,
                                       .adopts = true,
                                       .target = &target,
                                       .render = a->render,
                                       .base = &base};
    const struct update_decision decision = {.plan = plan->plan};
    int code = commit_plan(out, apply, &facts, &decision, warnings, err);
    if (code >= 0)
        complete(out->document, arena, a->guesses.taken, plan);
    return code;
}

static int adopt(struct update_outcome *out, struct apply *apply, struct adoption *a,
                 struct words *warnings, struct err *err)
{
    struct adoption_plan plan;
    if (check_child(a->child, err) < 0 || check_repository(a->child, a->options->branch, err) < 0 ||
        make(a, &out->refusal, err) < 0)
        return -1;
    for (size_t i = 0; i < a->guesses.warnings.count; i++)
        words_add(warnings, a->child->arena, a->guesses.warnings.items[i]);
    if (decide(&plan, a, warnings, err) < 0 || check_attributes(warnings, a, &plan.plan, err) < 0)
        return -1;
    check_build(warnings, a->child, &plan.plan);
    return commit(out, apply, a, &plan, warnings, err);
}

static int open_repository(struct child *child, struct arena *arena, const char *path,
                           struct err *err)
{
    if (child_open_any(child, arena, path, err) == 0)
        return 0;
    if (str_equal(err->code, "no-repository"))
        return err_hint(err, "'git init' makes one; then run this again");
    return -1;
}

static int run(struct update_outcome *out, struct child *child, struct apply **apply,
               struct arena *arena, const struct adopt_options *options, struct err *err)
{
    struct adoption a = {.options = options, .child = child};
    struct words warnings = {0};
    struct recovery recovery;
    if (options->branch && preflight_branch_name(options->branch, err) < 0)
        return -1;
    if (open_repository(child, arena, options->path, err) < 0 ||
        (!options->dry_run && apply_open(apply, &child->repo, err) < 0))
        return -1;
    int rc = recover_first(&recovery, child, *apply, err);
    out->document = recovery.document;
    if (rc >= 0 && recovery.done) {
        interrupt_settle();
        complete(out->document, arena, NULL, NULL);
    }
    if (rc < 0 || recovery.done)
        return rc;
    if (recovery.note)
        words_add(&warnings, arena, recovery.note);
    return adopt(out, *apply, &a, &warnings, err);
}

int adopt_run(struct update_outcome *out, struct arena *arena, const struct adopt_options *options,
              struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct child child = {0};
    struct apply *apply = NULL;
    *out = (struct update_outcome){NULL, NULL};
    int rc = run(out, &child, &apply, arena, options, err);
    if (rc < 0)
        (void)child_explain(&child, err);
    apply_close(apply);
    child_close(&child);
    return rc;
}

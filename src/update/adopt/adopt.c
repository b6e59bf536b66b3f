/* `adopt`: a repository that was not made from a template gets one, and keeps its files. */
#include "update/adopt.h"

#include "apply/apply.h"
#include "apply/preflight.h"
#include "base/account.h"
#include "base/arena_push.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/origin.h"
#include "child/child.h"
#include "child/making.h"
#include "data/data.h"
#include "git/disk_entry.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/interrupt.h"
#include "plan/plan.h"
#include "plan/planner.h"
#include "update/adopt/adopt_guess.h"
#include "update/adopt/adopt_search.h"
#include "update/base/base_render.h"
#include "update/outcome.h"
#include "update/recover.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/strategy.h"
#include "update/target/target.h"
#include "update/target/update_stack.h"
#include "update/update.h"

#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES_PATH ".gitattributes"
#define RECORD_ATTRIBUTE "/" RECORD_PATH " -merge"

struct adopting {
    struct update_outcome *out;
    const struct adopt_options *options;
    struct arena *arena;
    struct child child;
    struct apply *apply; /* NULL with --dry-run */
    struct making making;
    struct target target;
    struct guesses guesses;
    struct plan_list render;
    struct alike alike; /* what is merged against */
    struct plan plan;
    const char **yours;
    size_t yours_count;
    const char **warnings;
    size_t warning_count;
    struct err *err;
};

static void warn(struct adopting *a, const char *text)
{
    a->warnings = arena_grow(a->arena, a->warnings, a->warning_count, sizeof(*a->warnings));
    a->warnings[a->warning_count++] = text;
}

/* ---------------------------------------------------------------- may it be adopted? */

static int refuse_child(const struct adopting *a)
{
    const char *folder = a->child.repo.prefix;
    if (strcmp(folder, child_folder(&a->child)) != 0) {
        (void)err_set(a->err, TG_REFUSED, "nested-child",
                      "'%s' lies in a project of a template already: '%s' is there",
                      a->child.repo.start, repo_path(&a->child.repo, RECORD_PATH));
        return err_hint(a->err, "'tmplgen update' takes that one's newest version");
    }
    (void)err_set(a->err, TG_REFUSED, "already-adopted",
                  "'%s' is a project of a template already: it has a %s", a->child.repo.start,
                  RECORD_PATH);
    return err_hint(a->err, "'tmplgen update' takes its newest version");
}

/* Whatever was begun is over: the folder that was asked for is what becomes a child. */
static int check_child(struct adopting *a)
{
    bool found;
    if (child_has_record(&found, &a->child, a->err) < 0)
        return -1;
    if (found)
        return refuse_child(a);
    a->child.repo.prefix = child_folder(&a->child);
    return 0;
}

static int check_repository(struct adopting *a)
{
    const struct repo *repo = &a->child.repo;
    if (preflight_merged(repo, &a->child.index, a->err) < 0 || child_read(&a->child, a->err) < 0)
        return -1;
    return preflight_repository(repo, a->child.index, &a->child.head, a->options->branch, false,
                                a->err);
}

/* ---------------------------------------------------------------- what it is made of */

/* The matrix overlay that HEAD has. */
static int read_overlay(struct span *out, struct adopting *a)
{
    const struct plan_file *file = plan_list_find(&a->child.files, OVERLAY_PATH);
    STORE_BYTES_SCRATCH(text);
    *out = span_of("", 0);
    if (!file || !tree_entry_is_file(&file->leaf))
        return 0;
    if (store_get(&text, a->child.repo.store, STORE_BLOB, &file->leaf.id, OVERLAY_PATH, a->err) < 0)
        return -1;
    *out = span_of(arena_memdup(a->arena, text.bytes.ptr, text.bytes.len), text.bytes.len);
    return 0;
}

/* FRAMEWORK-TYPE; with `stack: none` the folder's name, else TYPE. */
static const char *default_name(const struct adopting *a)
{
    const struct making *m = &a->making;
    const char *last = strrchr(a->child.repo.start, '/');
    if (m->manifest->has_stack)
        return arena_printf(a->arena, "%s-%s", request_framework(&m->request, a->arena),
                            m->manifest->type);
    return last && last[1] ? last + 1 : m->manifest->type;
}

static int make(struct adopting *a)
{
    struct making *m = &a->making;
    *m = (struct making){
        .arena = a->arena, .catalog = a->options->catalog, .asker = a->options->asker};
    if (read_overlay(&m->overlay, a) < 0 || making_type(m, a->options->type, a->err) < 0)
        return -1;
    if (guess_all(&a->guesses, a->arena, &a->child, m, a->err) < 0)
        return -1;
    int rc = guess_stack(&a->guesses, a->arena, m, a->options->stack, a->options->request, a->err);
    a->out->refusal = m->refusal;
    if (rc < 0 ||
        guess_answers(&a->guesses, a->arena, m, a->options->answers, default_name(a), a->err) < 0 ||
        making_render(m, a->err) < 0)
        return -1;
    for (size_t i = 0; i < a->guesses.warning_count; i++)
        warn(a, a->guesses.warnings[i]);
    render_keep_bytes(&m->render, a->arena);
    base_list_render(&a->render, a->arena, &m->render);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void fill_target(struct adopting *a)
{
    const struct making *m = &a->making;
    a->target = (struct target){.origin = m->catalog->origin,
                                .catalog_name = m->catalog->name,
                                .manifest = m->manifest,
                                .render = m->render,
                                .record = m->record,
                                .stack = stack_changes(a->arena, NULL, m->resolution)};
    if (m->catalog->warning)
        *ARENA_PUSH(a->arena, a->target.warnings, a->target.warning_count) = m->catalog->warning;
    if (a->yours_count)
        qsort(a->yours, a->yours_count, sizeof(*a->yours), by_text);
    a->target.record.yours = a->yours;
    a->target.record.yours_count = a->yours_count;
}

/* ---------------------------------------------------------------- what stays the user's */

static void add_yours(struct adopting *a, const char *path)
{
    a->yours = arena_grow(a->arena, a->yours, a->yours_count, sizeof(*a->yours));
    a->yours[a->yours_count++] = glob_of_path(a->arena, path);
}

static int plan_once(struct adopting *a)
{
    struct plan_input input = {
        .side = {a->alike.base, a->child.files, a->render},
        .yours = a->yours,
        .yours_count = a->yours_count,
        .any_case = disk_ignores_case(a->child.repo.top_fd),
        .base_label =
            a->alike.version ? arena_printf(a->arena, "template %s", a->alike.version) : "template",
        .render_label = arena_printf(a->arena, "template %s",
                                     origin_words(a->arena, &a->making.catalog->origin))};
    return plan_make(&a->plan, a->arena, a->child.repo.store, &input, a->err);
}

/* What differs and is not merged is the user's from now on: true where that is news. */
static bool take_as_yours(struct adopting *a)
{
    bool any = false;
    for (size_t i = 0; i < a->plan.path_count; i++) {
        const struct plan_path *path = &a->plan.paths[i];
        if (path->state != PATH_CONFLICT || plan_list_find(&a->alike.base, path->path))
            continue;
        add_yours(a, path->path);
        any = true;
    }
    return any;
}

static bool is_file_at(const struct plan_list *list, const char *path)
{
    const struct plan_file *file = plan_list_find(list, path);
    return file && tree_entry_is_file(&file->leaf) && !file->nested;
}

/* Of a path that differs: whether its user wants it merged. */
static bool is_to_merge(const struct adopting *a, const struct plan_path *path)
{
    if (path->state != PATH_CONFLICT || !is_file_at(&a->child.files, path->path) ||
        !is_file_at(&a->render, path->path))
        return false;
    for (size_t i = 0; i < a->options->merge_count; i++)
        if (glob_match(a->options->merge[i], path->path))
            return true;
    return false;
}

/* The files that are merged, and what against. */
static int find_bases(struct adopting *a)
{
    const char **paths;
    size_t count = 0;
    if (a->options->merge_count == 0)
        return 0;
    if (plan_once(a) < 0)
        return -1;
    paths = arena_array(a->arena, a->plan.path_count + 1, sizeof(*paths));
    for (size_t i = 0; i < a->plan.path_count; i++)
        if (is_to_merge(a, &a->plan.paths[i]))
            paths[count++] = a->plan.paths[i].path;
    if (count)
        return adopt_search(&a->alike, a->arena, &a->child, &a->making.record, paths, count,
                            a->err);
    warn(a, "--merge: no file of such a path differs from the template's");
    return 0;
}

/* Each round makes a path more the user's that was not before. */
static int make_plan(struct adopting *a)
{
    do {
        if (plan_once(a) < 0)
            return -1;
    } while (take_as_yours(a));
    return 0;
}

static bool is_same_file(const struct plan_file *a, const struct plan_file *b)
{
    return a && b && tree_entry_equal(&a->leaf, &b->leaf);
}

/* A seed that the user has just as the template has it. */
static void settle_seeds(struct adopting *a)
{
    for (size_t i = 0; i < a->plan.path_count; i++) {
        struct plan_path *path = &a->plan.paths[i];
        if (path->state == PATH_KEPT_YOURS &&
            is_same_file(plan_list_find(&a->child.files, path->path),
                         plan_list_find(&a->render, path->path)))
            path->state = PATH_ADOPTED;
    }
}

static bool has_line(struct span text, const char *wanted)
{
    size_t len = strlen(wanted);
    for (const char *at = text.ptr, *end = at + text.len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line = (size_t)((newline ? newline : end) - at);
        if (line && at[line - 1] == '\r')
            line--;
        if (line == len && memcmp(at, wanted, len) == 0)
            return true;
        at = newline ? newline + 1 : end;
    }
    return false;
}

/* What will lie at a path of the child. */
static struct tree_entry outcome_at(const struct adopting *a, const char *path)
{
    const struct plan_file *file = plan_list_find(&a->child.files, path);
    for (size_t i = 0; i < a->plan.edit_count; i++)
        if (strcmp(a->plan.edits[i].path, path) == 0)
            return a->plan.edits[i].disk;
    return file ? file->leaf : (struct tree_entry){0};
}

/* Where the .gitattributes stays the user's own, git would merge the record as text. */
static int check_attributes(struct adopting *a)
{
    const struct plan_file *render = plan_list_find(&a->render, ATTRIBUTES_PATH);
    struct tree_entry leaf = outcome_at(a, ATTRIBUTES_PATH);
    STORE_BYTES_SCRATCH(text);
    if (render && tree_entry_equal(&leaf, &render->leaf))
        return 0;
    if (tree_entry_is_file(&leaf)) {
        if (store_get(&text, a->child.repo.store, STORE_BLOB, &leaf.id, ATTRIBUTES_PATH, a->err) <
            0)
            return -1;
        if (has_line(text.bytes, RECORD_ATTRIBUTE))
            return 0;
    }
    warn(a, "your " ATTRIBUTES_PATH " has no line for the record, so that git merges that as text: "
            "add '" RECORD_ATTRIBUTE "' to it");
    return 0;
}

/* Where there is one pip builds by it: what the user's own file says of packages counts no more. */
static void check_build(struct adopting *a)
{
    static const char file[] = "pyproject.toml";
    static const char *const own[] = {"setup.py", "setup.cfg"};
    if (plan_list_find(&a->child.files, file) || outcome_at(a, file).mode == LEAF_ABSENT)
        return;
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (plan_list_find(&a->child.files, own[i])) {
            warn(a,
                 arena_printf(a->arena,
                              "'%s' is new, and pip builds by it, no more by your '%s': see that "
                              "it names your package",
                              file, own[i]));
            return;
        }
}

/* ---------------------------------------------------------------- the run */

/* What was cut off here may have been an update. */
static void tell(struct adopting *a, struct data *document)
{
    if (str_equal(data_get_text(document, "result"), RESULT_UPDATED) &&
        !data_get_text(data_get(document, "from"), "version"))
        data_put_text(a->arena, document, "result", RESULT_ADOPTED);
    data_put(a->arena, document, "guesses",
             a->guesses.taken ? a->guesses.taken : data_list(a->arena));
    data_put(a->arena, document, "search", a->alike.report ? a->alike.report : data_null(a->arena));
    data_put(a->arena, document, "yours", data_texts(a->arena, a->yours, a->yours_count));
}

static int adopt(struct adopting *a)
{
    struct update_options options = {.path = a->options->path,
                                     .dry_run = a->options->dry_run,
                                     .no_commit = a->options->no_commit,
                                     .strategy = &strategy_default,
                                     .branch = a->options->branch,
                                     .signoff = a->options->signoff,
                                     .message = a->options->message};
    if (find_bases(a) < 0 || make_plan(a) < 0 || check_attributes(a) < 0)
        return -1;
    check_build(a);
    settle_seeds(a);
    fill_target(a);
    struct adoption adoption = {.child = &a->child,
                                .apply = a->apply,
                                .target = &a->target,
                                .base = &a->alike.base,
                                .plan = &a->plan,
                                .warnings = a->warnings,
                                .warning_count = a->warning_count};
    int code = update_adopt(a->out, &adoption, &options, a->err);
    if (code >= 0)
        tell(a, a->out->document);
    return code;
}

static int settle_unfinished(struct adopting *a, bool *done)
{
    struct recovery recovery = {
        .out = a->out, .child = &a->child, .apply = a->apply, .err = a->err};
    int rc = recover_first(&recovery, a->options->dry_run, done);
    if (rc >= 0 && *done) {
        interrupt_settle();
        tell(a, a->out->document);
    }
    if (rc == 0 && recovery.note)
        warn(a, recovery.note);
    return rc;
}

static int open_repository(struct adopting *a)
{
    if (child_open_any(&a->child, a->arena, a->options->path, a->err) == 0)
        return 0;
    if (str_equal(a->err->code, "no-repository"))
        return err_hint(a->err, "'git init' makes one; then run this again");
    return -1;
}

static int run(struct adopting *a)
{
    bool done;
    if (a->options->branch && preflight_branch_name(a->options->branch, a->err) < 0)
        return -1;
    if (open_repository(a) < 0 ||
        (!a->options->dry_run && apply_open(&a->apply, a->arena, &a->child.repo, a->err) < 0))
        return -1;
    int rc = settle_unfinished(a, &done);
    if (rc < 0 || done)
        return rc;
    if (check_child(a) < 0 || check_repository(a) < 0 || make(a) < 0)
        return -1;
    return adopt(a);
}

int adopt_run(struct update_outcome *out, struct arena *arena, const struct adopt_options *options,
              struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct adopting a = {.out = out, .options = options, .arena = arena, .err = err};
    *out = (struct update_outcome){NULL, NULL};
    int rc = run(&a);
    if (rc < 0)
        (void)child_explain(&a.child, err);
    apply_close(a.apply);
    child_close(&a.child);
    return rc;
}

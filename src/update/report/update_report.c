/* The document of an update that ran, or would run (docs/json.md, update). */
#include "update/report/update_report.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/origin.h"
#include "catalog/trust.h"
#include "child/child.h"
#include "data/document.h"
#include "data/json.h"
#include "git/repo.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/next_steps.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/strategy.h"
#include "update/target/update_target.h"

#include <string.h>

#define STORED_MAX (64 * LIMIT_MIB)

static const struct target *target_of(const struct report *report)
{
    return report->facts ? report->facts->target : NULL;
}

/* ---------------------------------------------------------------- versions */

static struct data *answers_data(struct arena *arena, const struct target *target)
{
    static const struct migrated none;
    struct data *list = data_list(arena);
    const struct migrated *m = target ? &target->migrated : &none;
    const struct renames *renamed = &m->answers.renamed;
    for (size_t i = 0; i < renamed->count; i++)
        data_push(arena, list,
                  data_of(arena, FIELD("from", renamed->old[i]), FIELD("to", renamed->new[i])));
    return data_of(arena, FIELD("added", m->answers.added), FIELD("dropped", m->answers.dropped),
                   FIELD("renamed", list));
}

static struct data *catalog_data(struct arena *arena, const struct target *target)
{
    if (!target || !target->origin.source)
        return data_null(arena);
    return data_of(arena, FIELD("name", target->catalog_name),
                   FIELD("source", target->origin.source),
                   FIELD("signature", signature_data(arena, &target->origin)));
}

static struct data *branch_data(struct arena *arena, const struct update_facts *facts)
{
    if (!facts || !facts->options->branch)
        return data_null(arena);
    return data_of(arena, FIELD("name", facts->options->branch),
                   FIELD("renewed_from", facts->refresh.old_tip));
}

/* ---------------------------------------------------------------- paths */

static bool is_adopted(const struct report *report, const char *path)
{
    size_t prefix = report->adopted.count ? strlen(report->facts->child->repo.prefix) : 0;
    for (size_t i = 0; i < report->adopted.count; i++)
        if (strcmp(report->adopted.items[i] + prefix, path) == 0)
            return true;
    return false;
}

static const char *theirs_of(const struct report *report, const char *path)
{
    for (size_t i = 0; i < report->beside_count; i++)
        if (strcmp(report->beside[i].path, path) == 0)
            return report->beside[i].theirs;
    return NULL;
}

/* The command that shows the template's content of a file that the child deleted; or NULL. */
static const char *seeing(struct arena *arena, const struct target *target, const char *path)
{
    const struct renames *moved = &target->migrated.files;
    for (size_t i = 0; i < moved->count && render_find(&target->render, path) < 0; i++)
        if (strcmp(moved->old[i], path) == 0)
            path = moved->new[i];
    return render_find(&target->render, path) < 0 ? NULL
                                                  : next_seeing(arena, target->render.tree, path);
}

static struct data *path_data(struct arena *arena, const struct report *report,
                              const struct plan_path *path)
{
    const struct target *target = target_of(report);
    bool adopted = path->state == PATH_ADDED && is_adopted(report, path->path);
    enum path_state state = adopted ? PATH_ADOPTED : path->state;
    bool waits = state == PATH_CONFLICT && report->beside_count == 0;
    bool deleted = state == PATH_KEPT_DELETED && target;
    return data_of(arena, FIELD("path", path->path), FIELD("from_path", path->from_path),
                   FIELD("state", path_state_names[state]),
                   FIELD("policy", path->has_policy ? file_policy_names[path->policy] : NULL),
                   FIELD("note", path->note), FIELD("theirs", theirs_of(report, path->path)),
                   FIELD("resolve", waits ? next_resolving(arena, report->plan, path->path) : NULL),
                   FIELD("see", deleted ? seeing(arena, target, path->path) : NULL));
}

/* Counts paths by state; every state has its number. */
static struct data *counts_data(struct arena *arena, const struct data *paths)
{
    struct data *counts = data_map(arena);
    size_t number[PATH_STATES] = {0};
    for (size_t i = 0; i < paths->list.count; i++)
        for (size_t state = 0; state < PATH_STATES; state++)
            number[state] +=
                str_equal(data_get_text(paths->list.items[i], "state"), path_state_names[state]);
    data_add(arena, counts, FIELD("files", paths->list.count));
    for (size_t state = 0; state < PATH_STATES; state++)
        data_add(arena, counts, FIELD(path_state_names[state], number[state]));
    return counts;
}

static struct data *paths_data(struct arena *arena, const struct report *report)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; report->plan && i < report->plan->path_count; i++)
        data_push(arena, list, path_data(arena, report, &report->plan->paths[i]));
    return list;
}

/* ---------------------------------------------------------------- the document */

static void add_texts(struct arena *arena, struct data *list, const struct words *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        data_push(arena, list, data_str(arena, texts->items[i]));
}

static struct data *warnings_data(struct arena *arena, const struct report *report)
{
    struct data *list = data_list(arena);
    const struct base *base = report->base;
    if (target_of(report))
        add_texts(arena, list, &target_of(report)->warnings);
    if (base && base->proof != PROOF_RENDER)
        data_push(arena, list,
                  data_str(arena, "the base was not rendered again: files are paired by name only, "
                                  "and its policies are not known"));
    if (base && base->drift)
        data_push(arena, list,
                  data_str(arena, arena_printf(arena,
                                               "the base is a new rendering, not tree %s of "
                                               "the record",
                                               base->drift)));
    if (report->plan)
        add_texts(arena, list, &report->plan->warnings);
    add_texts(arena, list, &report->warnings);
    return list;
}

struct data *report_document(struct arena *arena, const struct report *report)
{
    struct data *paths = paths_data(arena, report);
    const struct update_facts *facts = report->facts;
    const struct provenance *record = facts ? &facts->child->record : NULL;
    const struct target *target = target_of(report);
    struct data *document =
        data_of(arena, FIELD("result", report->result),
                FIELD("strategy", facts ? facts->options->strategy->name : strategy_default.name),
                FIELD("template", record ? record->wanted.type : NULL),
                FIELD("catalog", catalog_data(arena, target)),
                FIELD("from", origin_data(arena, record ? &record->made.catalog : NULL)),
                FIELD("to", origin_data(arena, target ? &target->origin : NULL)),
                FIELD("commit", report->commit), FIELD("branch", branch_data(arena, facts)),
                FIELD("stack", target && target->stack ? target->stack : data_list(arena)),
                FIELD("answers", answers_data(arena, target)),
                FIELD("notes", target && target->notes ? target->notes : data_list(arena)),
                FIELD("base", report->base ? base_data(arena, report->base) : NULL),
                FIELD("tree", report->plan && target ? target->render.tree : NULL),
                FIELD("counts", counts_data(arena, paths)), FIELD("paths", paths),
                FIELD("commits", report->commits), FIELD("rewritten", report->rewritten),
                FIELD("warnings", warnings_data(arena, report)));
    return data_add(arena, document, FIELD("next", next_steps(arena, document)),
                    FIELD("summary", data_null(arena)), FIELD("diff", data_null(arena)));
}

struct data *report_unplanned(const struct update_facts *facts, const struct words *warnings,
                              const char *result)
{
    const struct report report = {.result = result, .facts = facts, .warnings = *warnings};
    return report_document(facts->child->arena, &report);
}

/* ---------------------------------------------------------------- kept in a journal */

int report_store(struct span *out, struct arena *arena, const struct data *document,
                 struct err *err)
{
    BUF_SCRATCH(text, STORED_MAX);
    if (json_write(&text, document, false) < 0)
        return err_set(err, TG_RUNTIME, "limit", "the report is too large");
    *out = span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
    return 0;
}

/* Resolved conflicts are now merged. Lines of older journals get the members that they lack. */
static void settle_paths(struct arena *arena, struct data *document, bool resolved)
{
    static const char *const added[] = {"theirs", "resolve", "see"};
    struct data *paths = data_get(document, "paths");
    for (size_t i = 0; i < paths->list.count; i++) {
        struct data *path = paths->list.items[i];
        for (size_t j = 0; j < sizeof(added) / sizeof(*added); j++)
            if (!data_get(path, added[j]))
                data_put(arena, path, added[j], data_null(arena));
        if (!resolved || !str_equal(data_get_text(path, "state"), "conflict"))
            continue;
        data_add(arena, path, FIELD("state", path_state_names[PATH_MERGED]),
                 FIELD("note", "you resolved it"), FIELD("resolve", data_null(arena)));
    }
    data_put(arena, document, "counts", counts_data(arena, paths));
}

/* `empty` has every member; those of `stored` replace them. */
static void take_stored(struct arena *arena, struct data *empty, const struct data *stored)
{
    for (size_t i = 0; i < empty->map.count; i++) {
        struct data_member *member = &empty->map.members[i];
        struct data *value = data_get_span(stored, member->name);
        bool list = member->value->kind == DATA_LIST;
        if (value && (!list || value->kind == DATA_LIST))
            member->value = data_copy(arena, value);
    }
}

/* True for conflicts that were committed: the document stays so, whichever run ends it. */
static bool committed_conflicts(const struct data *document)
{
    return str_equal(data_get_text(document, "result"), RESULT_CONFLICTS) &&
           data_get_text(document, "commit");
}

struct data *report_recall(struct arena *arena, struct span text, const char *result,
                           const struct oid *commit)
{
    ERR_SCRATCH(ignored);
    struct report empty = {.result = result, .commit = commit ? oid_text(arena, commit) : NULL};
    struct data *document = report_document(arena, &empty), *stored;
    if (json_parse(&stored, arena, "the report", text, &ignored) < 0 || stored->kind != DATA_MAP) {
        report_warn(arena, document, "the report of the paths was too long to be kept");
        return document;
    }
    take_stored(arena, document, stored);
    bool stays = commit && committed_conflicts(document);
    if (!stays)
        data_put_text(arena, document, "result", result);
    data_add(arena, document, FIELD("commit", empty.commit),
             FIELD("summary", data_null(arena))); /* of the earlier run */
    settle_paths(arena, document, commit && !stays);
    if (strcmp(result, RESULT_ABORTED) == 0)
        data_put(arena, document, "warnings", data_list(arena));
    data_put(arena, document, "next", next_steps(arena, document));
    return document;
}

int report_exit(const struct data *document, int code)
{
    return committed_conflicts(document) ? TG_CONFLICTS : code;
}

void report_put_replayed(struct arena *arena, struct data *document, const struct plan *stopped,
                         struct data *commits)
{
    const struct report report = {.plan = stopped};
    if (stopped) {
        struct data *paths = paths_data(arena, &report);
        data_add(arena, document, FIELD("paths", paths),
                 FIELD("counts", counts_data(arena, paths)));
    }
    data_put(arena, document, "commits", commits);
    data_put(arena, document, "next", next_steps(arena, document));
}

void report_warn(struct arena *arena, struct data *document, const char *text)
{
    data_push(arena, data_get(document, "warnings"), data_str(arena, text));
}

void report_taken_back(struct arena *arena, struct data *line, bool gone)
{
    data_add(arena, line, FIELD("state", path_state_names[gone ? PATH_DELETED : PATH_KEPT_YOURS]),
             FIELD("note", gone ? "you deleted it" : "you kept it as it was"));
}

void report_count(struct arena *arena, struct data *document)
{
    data_put(arena, document, "counts", counts_data(arena, data_get(document, "paths")));
}

void report_left(struct arena *arena, struct data *document, const char *branch, const char *what,
                 const char *commit)
{
    data_put(arena, document, "left",
             data_of(arena, FIELD("branch", branch), FIELD("what", what), FIELD("commit", commit)));
    data_put(arena, document, "next", next_steps(arena, document));
}

void report_kept(struct arena *arena, struct data *document, const struct words *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        report_warn(arena, document,
                    arena_printf(arena, "what you changed meanwhile is kept: %s", kept->items[i]));
}

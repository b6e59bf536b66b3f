/* What an update did, or would do, as a document (docs/json.md, update). */
#include "update/report/update_report.h"

#include "apply/work_folder.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/origin.h"
#include "catalog/trust.h"
#include "child/provenance.h"
#include "data/data.h"
#include "data/json.h"
#include "git/repo.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/next_steps.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/strategy.h"
#include "update/target/target.h"

#include <stdlib.h>
#include <string.h>

#define STORED_MAX (64 * LIMIT_MIB)

static struct data *answers_data(struct arena *arena, const struct target *target)
{
    static const struct target none;
    struct data *map = data_map(arena), *renamed = data_list(arena);
    const struct target *t = target ? target : &none;
    for (size_t i = 0; i < t->migrated.answers.renamed_count; i++) {
        struct data *pair = data_map(arena);
        data_put(arena, pair, "from", data_str(arena, t->migrated.answers.renamed_from[i]));
        data_put(arena, pair, "to", data_str(arena, t->migrated.answers.renamed_to[i]));
        data_push(arena, renamed, pair);
    }
    data_put(arena, map, "added",
             data_texts(arena, t->migrated.answers.added, t->migrated.answers.added_count));
    data_put(arena, map, "dropped",
             data_texts(arena, t->migrated.answers.dropped, t->migrated.answers.dropped_count));
    data_put(arena, map, "renamed", renamed);
    return map;
}

static struct data *base_data(struct arena *arena, const struct base *base)
{
    char hex[41];
    if (!base)
        return data_null(arena);
    struct data *map = data_map(arena);
    oid_hex(hex, &base->tree);
    data_put(arena, map, "tree", data_str(arena, hex));
    data_put(arena, map, "proven_by", data_str(arena, proof_names[base->proof]));
    return map;
}

static bool is_adopted(const struct report *report, const char *path)
{
    size_t skip = strlen(report->prefix);
    for (size_t i = 0; i < report->adopted_count; i++)
        if (strcmp(report->adopted[i] + skip, path) == 0)
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

/* What the template has for a file that the child deleted, also where a migration renames it. */
static const char *seeing(struct arena *arena, const struct target *target, const char *path)
{
    const struct migrated *moved = &target->migrated;
    for (size_t i = 0; i < moved->rename_count && render_find(&target->render, path) < 0; i++)
        if (strcmp(moved->rename_old[i], path) == 0)
            path = moved->rename_new[i];
    return render_find(&target->render, path) < 0 ? NULL
                                                  : next_seeing(arena, target->render.tree, path);
}

static struct data *path_data(struct arena *arena, const struct report *report,
                              const struct plan_path *path)
{
    struct data *map = data_map(arena);
    bool adopted = path->state == PATH_ADDED && is_adopted(report, path->path);
    enum path_state state = adopted ? PATH_ADOPTED : path->state;
    data_put(arena, map, "path", data_str(arena, path->path));
    data_put(arena, map, "from_path", data_str(arena, path->from_path));
    data_put(arena, map, "state", data_str(arena, path_state_names[state]));
    data_put(arena, map, "policy",
             data_str(arena, path->has_policy ? file_policy_names[path->policy] : NULL));
    data_put(arena, map, "note", data_str(arena, path->note));
    data_put_text(arena, map, "theirs", theirs_of(report, path->path));
    bool waits = state == PATH_CONFLICT && report->beside_count == 0;
    data_put_text(arena, map, "resolve",
                  waits ? next_resolving(arena, report->plan, path->path) : NULL);
    data_put_text(arena, map, "see",
                  state == PATH_KEPT_DELETED && report->target
                      ? seeing(arena, report->target, path->path)
                      : NULL);
    return map;
}

/* Paths by state: every state has its number. */
static struct data *counts_data(struct arena *arena, const struct data *paths)
{
    struct data *counts = data_map(arena);
    size_t number[PATH_STATES] = {0};
    for (size_t i = 0; i < paths->list.count; i++)
        for (size_t state = 0; state < PATH_STATES; state++)
            number[state] +=
                str_equal(data_get_text(paths->list.items[i], "state"), path_state_names[state]);
    data_put(arena, counts, "files", data_int(arena, (int64_t)paths->list.count));
    for (size_t state = 0; state < PATH_STATES; state++)
        data_put(arena, counts, path_state_names[state], data_int(arena, (int64_t)number[state]));
    return counts;
}

static struct data *paths_data(struct arena *arena, const struct report *report)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; report->plan && i < report->plan->path_count; i++)
        data_push(arena, list, path_data(arena, report, &report->plan->paths[i]));
    return list;
}

static void add_texts(struct arena *arena, struct data *list, const char *const *items,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        data_push(arena, list, data_str(arena, items[i]));
}

static struct data *warnings_data(struct arena *arena, const struct report *report)
{
    struct data *list = data_list(arena);
    if (report->target)
        add_texts(arena, list, report->target->warnings, report->target->warning_count);
    if (report->base && report->base->proof != PROOF_RENDER)
        data_push(arena, list,
                  data_str(arena, "the base was not rendered again: files are paired by name only, "
                                  "and its policies are not known"));
    if (report->base && report->base->drift)
        data_push(arena, list,
                  data_str(arena, arena_printf(arena,
                                               "the base is a new rendering, not tree %s of "
                                               "the record",
                                               report->base->drift)));
    if (report->plan)
        add_texts(arena, list, report->plan->warnings, report->plan->warning_count);
    add_texts(arena, list, report->warnings, report->warning_count);
    return list;
}

static struct data *catalog_data(struct arena *arena, const struct report *report)
{
    const struct target *target = report->target;
    if (!target || !target->origin.source)
        return data_null(arena);
    struct data *map = data_map(arena);
    data_put_text(arena, map, "name", target->catalog_name);
    data_put_text(arena, map, "source", target->origin.source);
    data_put(arena, map, "signature", signature_data(arena, &target->origin));
    return map;
}

static struct data *branch_data(struct arena *arena, const struct report *report)
{
    if (!report->branch)
        return data_null(arena);
    struct data *map = data_map(arena);
    data_put_text(arena, map, "name", report->branch);
    data_put_text(arena, map, "renewed_from", report->old_tip);
    return map;
}

static void put_versions(struct arena *arena, struct data *document, const struct report *report)
{
    const struct provenance *provenance = report->provenance;
    const struct target *target = report->target;
    data_put_text(arena, document, "template", provenance ? provenance->wanted.type : NULL);
    data_put(arena, document, "catalog", catalog_data(arena, report));
    data_put(arena, document, "from",
             origin_data(arena, provenance ? &provenance->made.catalog : NULL));
    data_put(arena, document, "to", origin_data(arena, target ? &target->origin : NULL));
}

struct data *report_document(struct arena *arena, const struct report *report)
{
    struct data *document = data_map(arena), *paths = paths_data(arena, report);
    const struct target *target = report->target;
    data_put_text(arena, document, "result", report->result);
    data_put_text(arena, document, "strategy", report->strategy);
    put_versions(arena, document, report);
    data_put_text(arena, document, "commit", report->commit);
    data_put(arena, document, "branch", branch_data(arena, report));
    data_put(arena, document, "stack", target && target->stack ? target->stack : data_list(arena));
    data_put(arena, document, "answers", answers_data(arena, target));
    data_put(arena, document, "notes", target && target->notes ? target->notes : data_list(arena));
    data_put(arena, document, "base", base_data(arena, report->base));
    data_put_text(arena, document, "tree", report->plan ? target->render.tree : NULL);
    data_put(arena, document, "counts", counts_data(arena, paths));
    data_put(arena, document, "paths", paths);
    data_put(arena, document, "commits", report->commits ? report->commits : data_null(arena));
    data_put(arena, document, "rewritten",
             report->rewritten ? report->rewritten : data_null(arena));
    data_put(arena, document, "warnings", warnings_data(arena, report));
    data_put(arena, document, "next", next_steps(arena, document));
    data_put(arena, document, "summary", data_null(arena));
    data_put(arena, document, "diff", data_null(arena));
    return document;
}

int report_store(struct span *out, struct arena *arena, const struct data *document,
                 struct err *err)
{
    BUF_SCRATCH(text, STORED_MAX);
    if (json_write(&text, document, false) < 0)
        return err_set(err, TG_RUNTIME, "limit", "the report is too large");
    *out = span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
    return 0;
}

/* What the user has resolved is merged now; lines of older journals get the members they lack. */
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
        data_put_text(arena, path, "state", path_state_names[PATH_MERGED]);
        data_put_text(arena, path, "note", "you resolved it");
        data_put(arena, path, "resolve", data_null(arena));
    }
    data_put(arena, document, "counts", counts_data(arena, paths));
}

/* `empty` has all members that there are; those of `stored` take their place. */
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

/* Committed with its conflicts: that stays so, whoever finishes the run. */
static bool committed_conflicts(const struct data *document)
{
    return str_equal(data_get_text(document, "result"), RESULT_CONFLICTS) &&
           data_get_text(document, "commit");
}

struct data *report_recall(struct arena *arena, struct span text, const char *result,
                           const char *commit)
{
    ERR_SCRATCH(ignored);
    struct report empty = {
        .result = result, .strategy = strategy_default.name, .commit = commit, .prefix = ""};
    struct data *document = report_document(arena, &empty), *stored;
    bool commits = commit != NULL, undone = strcmp(result, RESULT_ABORTED) == 0;
    if (json_parse(&stored, arena, "the report", text, &ignored) < 0 || stored->kind != DATA_MAP) {
        report_warn(arena, document, "the report of the paths was too long to be kept");
        return document;
    }
    take_stored(arena, document, stored);
    bool stays = commits && committed_conflicts(document);
    if (!stays)
        data_put_text(arena, document, "result", result);
    data_put_text(arena, document, "commit", commit);
    data_put(arena, document, "summary", data_null(arena)); /* of the run, which is another */
    settle_paths(arena, document, commits && !stays);
    if (undone)
        data_put(arena, document, "warnings", data_list(arena));
    data_put(arena, document, "next", next_steps(arena, document));
    return document;
}

int report_exit(const struct data *document, int code)
{
    return committed_conflicts(document) ? TG_CONFLICTS : code;
}

void report_put_paths(struct arena *arena, struct data *document, const struct plan *plan)
{
    const struct report report = {.plan = plan, .prefix = ""};
    struct data *paths = paths_data(arena, &report);
    data_put(arena, document, "paths", paths);
    data_put(arena, document, "counts", counts_data(arena, paths));
    data_put(arena, document, "next", next_steps(arena, document));
}

void report_put_commits(struct arena *arena, struct data *document, struct data *commits)
{
    data_put(arena, document, "commits", commits);
    data_put(arena, document, "next", next_steps(arena, document));
}

void report_warn(struct arena *arena, struct data *document, const char *text)
{
    data_push(arena, data_get(document, "warnings"), data_str(arena, text));
}

void report_kept(struct arena *arena, struct data *document, const struct apply *apply)
{
    const char *const *kept;
    size_t count = apply_kept(&kept, apply);
    for (size_t i = 0; i < count; i++)
        report_warn(arena, document,
                    arena_printf(arena, "what you changed meanwhile is kept: %s", kept[i]));
}

/* What an update did, or would do, as a document (JSON.md, update). */
#include "update/report.h"

#include "apply/work.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/json.h"
#include "base/limits.h"
#include "child/provenance.h"
#include "git/repo.h"
#include "plan/plan.h"
#include "update/base.h"
#include "update/strategy.h"
#include "update/target.h"

#include <stdlib.h>
#include <string.h>

#define STORED_MAX (64 * LIMIT_MIB)

static struct data *origin_data(struct arena *arena, const struct catalog_origin *origin)
{
    if (!origin)
        return data_null(arena);
    struct data *map = data_map(arena);
    data_put(arena, map, "version", data_str(arena, origin->version));
    data_put(arena, map, "commit", data_str(arena, origin->commit));
    return map;
}

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
    return map;
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

struct data *report_document(struct arena *arena, const struct report *report)
{
    struct data *document = data_map(arena);
    const struct provenance *provenance = report->provenance;
    const struct target *target = report->target;
    data_put(arena, document, "result", data_str(arena, report->result));
    data_put(arena, document, "strategy", data_str(arena, report->strategy));
    data_put(arena, document, "from",
             origin_data(arena, provenance ? &provenance->made.catalog : NULL));
    data_put(arena, document, "to", origin_data(arena, target ? &target->origin : NULL));
    data_put(arena, document, "commit", data_str(arena, report->commit));
    data_put(arena, document, "stack", target && target->stack ? target->stack : data_list(arena));
    data_put(arena, document, "answers", answers_data(arena, target));
    data_put(arena, document, "base", base_data(arena, report->base));
    data_put(arena, document, "paths", paths_data(arena, report));
    data_put(arena, document, "warnings", warnings_data(arena, report));
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

struct data *report_recall(struct arena *arena, struct span text, const char *result,
                           const char *commit)
{
    ERR_SCRATCH(ignored);
    struct data *document;
    struct report empty = {
        .result = result, .strategy = strategy_default.name, .commit = commit, .prefix = ""};
    if (json_parse(&document, arena, "the report", text, &ignored) < 0 ||
        document->kind != DATA_MAP) {
        document = report_document(arena, &empty);
        report_warn(arena, document, "the report of the paths was too long to be kept");
        return document;
    }
    data_put(arena, document, "result", data_str(arena, result));
    data_put(arena, document, "commit", data_str(arena, commit));
    return document;
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

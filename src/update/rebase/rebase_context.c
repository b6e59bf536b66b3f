/* The state that a stopped rebase needs to go on, as its journal keeps it. */

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/document.h"
#include "data/json.h"
#include "git/repo.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/replay.h"
#include "update/rebase/stopped_rebase.h"

#define DOCUMENT "document"
#define CONTEXT_MAX (64 * LIMIT_MIB)

static void add_renames(struct data *list, struct arena *arena, size_t commit,
                        const struct renames *renames, bool goes)
{
    for (size_t i = 0; i < renames->count; i++) {
        struct data *line = data_list(arena);
        data_push(arena, line, data_int(arena, (int64_t)commit));
        data_push(arena, line, data_bool(arena, goes));
        data_push(arena, line, data_str(arena, renames->old[i]));
        data_push(arena, line, data_str(arena, renames->new[i]));
        data_push(arena, list, line);
    }
}

/* [commit, true for `goes`, old, new] */
static struct data *renames_data(struct arena *arena, const struct commit_range *range)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < range->count; i++) {
        add_renames(list, arena, i, &range->commits[i].went, false);
        add_renames(list, arena, i, &range->commits[i].goes, true);
    }
    return list;
}

static bool is_rename(const struct data *line, const struct commit_range *range)
{
    static const enum data_kind kinds[] = {DATA_INT, DATA_BOOL, DATA_STR, DATA_STR};
    bool valid = line->kind == DATA_LIST && line->list.count == sizeof(kinds) / sizeof(*kinds);
    for (size_t i = 0; valid && i < line->list.count; i++)
        valid = line->list.items[i]->kind == kinds[i];
    return valid && line->list.items[0]->integer >= 0 &&
           (size_t)line->list.items[0]->integer < range->count;
}

static void take_rename(struct commit_range *range, struct arena *arena, const struct data *line)
{
    struct data *const *member = line->list.items;
    struct range_commit *commit = &range->commits[member[0]->integer];
    struct renames *renames = member[1]->boolean ? &commit->goes : &commit->went;
    renames->old = arena_grow(arena, renames->old, renames->count, sizeof(char *));
    renames->new = arena_grow(arena, renames->new, renames->count, sizeof(char *));
    renames->old[renames->count] = data_text(member[2]);
    renames->new[renames->count++] = data_text(member[3]);
}

static void read_renames(struct commit_range *range, struct arena *arena, const struct data *list)
{
    for (size_t i = 0; list && list->kind == DATA_LIST && i < list->list.count; i++)
        if (is_rename(list->list.items[i], range))
            take_rename(range, arena, list->list.items[i]);
}

struct data *rebase_context(const struct replay *r, const struct pick_end *pick)
{
    const struct replay_input *in = r->in;
    struct arena *arena = in->repo->arena;
    return data_of(arena, FIELD("onto", oid_text(arena, &in->onto)),
                   FIELD("record", oid_text(arena, &in->record.id)),
                   FIELD("record_mode", in->record.mode), FIELD("base_label", in->plan->base_label),
                   FIELD("render_label", in->plan->render_label), FIELD("yours", in->plan->yours),
                   FIELD("pick", oid_text(arena, &pick->tree)), FIELD("apart", pick->conflicts),
                   FIELD("renames", renames_data(arena, in->range)),
                   FIELD("before", lineage_data(arena, &r->before)),
                   FIELD("after", lineage_data(arena, &r->after)));
}

int rebase_context_store(struct span *out, struct arena *arena, const struct data *context,
                         struct err *err)
{
    BUF_SCRATCH(text, CONTEXT_MAX);
    if (json_write(&text, context, false) < 0)
        return err_set(err, TG_RUNTIME, "limit", "what a rebase keeps for later is too large");
    *out = span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
    return 0;
}

void rebase_context_put_document(struct arena *arena, struct data *context, struct data *document)
{
    data_put(arena, context, DOCUMENT, document);
}

struct data *rebase_context_document(const struct data *context)
{
    struct data *document = context->kind == DATA_MAP ? data_get(context, DOCUMENT) : NULL;
    return document && document->kind == DATA_MAP ? document : NULL;
}

static int read_oid(struct oid *out, const struct data *context, const char *name)
{
    const char *hex = data_get_text(context, name);
    return hex ? oid_parse(out, hex) : -1;
}

static int read_texts(struct words *out, struct arena *arena, const struct data *list)
{
    *out = (struct words){NULL, 0};
    if (!list || list->kind != DATA_LIST)
        return -1;
    for (size_t i = 0; i < list->list.count; i++) {
        if (list->list.items[i]->kind != DATA_STR)
            return -1;
        words_add(out, arena, data_text(list->list.items[i]));
    }
    return 0;
}

int rebase_context_read(struct replay_input *in, struct plan_input *plan,
                        struct commit_range *range, struct pick_end *pick,
                        const struct data *context)
{
    struct arena *arena = in->repo->arena;
    if (context->kind != DATA_MAP)
        return -1;
    const struct data *mode = data_get(context, "record_mode");
    if (!mode || mode->kind != DATA_INT || read_oid(&in->onto, context, "onto") < 0 ||
        read_oid(&in->record.id, context, "record") < 0 ||
        read_oid(&pick->tree, context, "pick") < 0 ||
        read_texts(&plan->yours, arena, data_get(context, "yours")) < 0 ||
        read_texts(&pick->conflicts, arena, data_get(context, "apart")) < 0)
        return -1;
    in->record.mode = (unsigned)mode->integer;
    plan->base_label = data_get_text(context, "base_label");
    plan->render_label = data_get_text(context, "render_label");
    read_renames(range, arena, data_get(context, "renames"));
    return plan->base_label && plan->render_label ? 0 : -1;
}

void rebase_context_read_lineages(struct replay *r, const struct data *context)
{
    struct arena *arena = r->in->repo->arena;
    lineage_parse(&r->before, arena, data_get(context, "before"));
    lineage_parse(&r->after, arena, data_get(context, "after"));
}

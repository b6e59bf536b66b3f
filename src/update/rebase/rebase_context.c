/* What a rebase that stopped needs to go on, as its journal keeps it. */
#include "update/rebase/rebase_context.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "git/repo.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/replay.h"

#define DOCUMENT "document"
#define CONTEXT_MAX (64 * LIMIT_MIB)

static void add_renames(struct data *list, struct arena *arena, size_t commit,
                        const struct range_renames *renames, bool goes)
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

/* [commit, whether it goes on from there, old, new] */
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
    struct range_renames *renames = member[1]->boolean ? &commit->goes : &commit->went;
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

struct data *rebase_context(struct arena *arena, const struct replay *r)
{
    struct data *context = data_map(arena);
    data_put_text(arena, context, "onto", oid_text(arena, &r->onto));
    data_put_text(arena, context, "record", oid_text(arena, &r->record.id));
    data_put(arena, context, "record_mode", data_int(arena, r->record.mode));
    data_put_text(arena, context, "base_label", r->input->base_label);
    data_put_text(arena, context, "render_label", r->input->render_label);
    data_put(arena, context, "yours", data_texts(arena, r->input->yours, r->input->yours_count));
    data_put_text(arena, context, "pick", oid_text(arena, &r->pick));
    data_put(arena, context, "apart", data_texts(arena, r->apart, r->apart_count));
    data_put(arena, context, "renames", renames_data(arena, r->range));
    data_put(arena, context, "before", lineage_data(arena, &r->before));
    data_put(arena, context, "after", lineage_data(arena, &r->after));
    return context;
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

void rebase_context_keep(struct data *context, struct arena *arena, struct span earlier)
{
    ERR_SCRATCH(ignored);
    struct data *before;
    if (json_parse(&before, arena, "the journal", earlier, &ignored) == 0 &&
        rebase_context_document(before))
        data_put(arena, context, DOCUMENT, rebase_context_document(before));
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

static int read_texts(const char ***out, size_t *count, struct arena *arena,
                      const struct data *list)
{
    if (!list || list->kind != DATA_LIST)
        return -1;
    *count = 0;
    for (size_t i = 0; i < list->list.count; i++) {
        if (list->list.items[i]->kind != DATA_STR)
            return -1;
        *out = arena_grow(arena, *out, *count, sizeof(**out)); /* more are set apart later */
        (*out)[(*count)++] = data_text(list->list.items[i]);
    }
    return 0;
}

int rebase_context_read(struct replay *r, struct plan_input *input, struct commit_range *range,
                        const struct data *context)
{
    const char **yours = NULL, **apart = NULL;
    if (context->kind != DATA_MAP)
        return -1;
    const struct data *mode = data_get(context, "record_mode");
    if (!mode || mode->kind != DATA_INT || read_oid(&r->onto, context, "onto") < 0 ||
        read_oid(&r->record.id, context, "record") < 0 || read_oid(&r->pick, context, "pick") < 0 ||
        read_texts(&yours, &input->yours_count, r->arena, data_get(context, "yours")) < 0 ||
        read_texts(&apart, &r->apart_count, r->arena, data_get(context, "apart")) < 0)
        return -1;
    input->yours = yours;
    r->apart = apart;
    r->record.mode = (unsigned)mode->integer;
    r->tip = r->onto;
    input->base_label = data_get_text(context, "base_label");
    input->render_label = data_get_text(context, "render_label");
    read_renames(range, r->arena, data_get(context, "renames"));
    lineage_parse(&r->before, r->arena, data_get(context, "before"));
    lineage_parse(&r->after, r->arena, data_get(context, "after"));
    return input->base_label && input->render_label ? 0 : -1;
}

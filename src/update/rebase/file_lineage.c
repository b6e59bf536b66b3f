/* Maps files of a commit to the template's files. */
#include "update/rebase/file_lineage.h"

#include "base/arena.h"
#include "catalog/render.h"
#include "child/child.h"
#include "data/data.h"
#include "git/repo.h"
#include "git/tree.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

int lineage_list(struct plan_list *out, struct arena *arena, const struct repo *repo,
                 const struct oid *tree, const struct file_lineage *lineage, struct err *err)
{
    struct tree_files all;
    if (tree_list(&all, arena, repo->store, tree, TREE_ENTRIES, err) < 0)
        return -1;
    struct plan_file *files = arena_array(arena, all.count + 1, sizeof(*files));
    *out = (struct plan_list){files, 0};
    for (size_t i = 0, at = 0; i < all.count; i++) {
        const char *path = all.files[i].path;
        if (strcmp(path, RECORD_PATH) == 0)
            continue;
        struct plan_file *file = &files[out->count++];
        *file = (struct plan_file){.path = path, .entry = all.files[i].leaf};
        while (at < lineage->count && strcmp(lineage->files[at].path, path) < 0)
            at++;
        if (at == lineage->count || strcmp(lineage->files[at].path, path) != 0)
            continue;
        file->source = lineage->files[at].source;
        file->policy = lineage->files[at].policy;
        file->merge = lineage->files[at].merge;
    }
    child_mark_nested(files, out->count, arena);
    return 0;
}

/* The file of the pair with a known template file; or NULL. */
static const struct plan_file *rule_of(const struct plan_pair *pair)
{
    static const enum side order[] = {CHILD, RENDER, BASE};
    for (size_t i = 0; i < SIDES; i++) {
        const struct plan_file *file = pair->side[order[i]];
        if (file && file->source && *file->source)
            return file;
    }
    return NULL;
}

static void add(struct file_lineage *out, const char *path, const struct plan_file *rule)
{
    if (!path || !rule)
        return;
    out->files[out->count++] =
        (struct lineage_entry){path, rule->source, rule->policy, rule->merge};
}

void lineage_render(struct file_lineage *out, struct arena *arena, const struct plan_list *render)
{
    *out = (struct file_lineage){arena_array(arena, render->count + 1, sizeof(*out->files)), 0};
    for (size_t i = 0; i < render->count; i++)
        if (render->files[i].source && *render->files[i].source)
            add(out, render->files[i].path, &render->files[i]);
}

void lineage_plan(struct file_lineage *out, struct arena *arena, const struct plan *plan,
                  bool afterwards)
{
    *out = (struct file_lineage){arena_array(arena, plan->pair_count + 1, sizeof(*out->files)), 0};
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct plan_file *child = plan->pairs[i].side[CHILD];
        const char *before = child ? child->path : NULL;
        add(out, afterwards ? plan->pairs[i].path : before, rule_of(&plan->pairs[i]));
    }
    qsort(out->files, out->count, sizeof(*out->files), str_compare_first);
}

static bool is_same(const struct file_lineage *a, const struct file_lineage *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->files[i].path, b->files[i].path) == 0 &&
               strcmp(a->files[i].source, b->files[i].source) == 0 &&
               a->files[i].policy == b->files[i].policy && a->files[i].merge == b->files[i].merge;
    return same;
}

void lineage_keep(struct file_lineage *kept, struct arena *arena, const struct file_lineage *now)
{
    if (is_same(kept, now))
        return;
    *kept =
        (struct file_lineage){arena_array(arena, now->count + 1, sizeof(*kept->files)), now->count};
    for (size_t i = 0; i < now->count; i++) {
        kept->files[i] = now->files[i];
        kept->files[i].path = arena_strdup(arena, now->files[i].path);
        kept->files[i].source = arena_strdup(arena, now->files[i].source);
    }
}

struct data *lineage_data(struct arena *arena, const struct file_lineage *lineage)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < lineage->count; i++) {
        struct data *file = data_list(arena);
        data_push(arena, file, data_str(arena, lineage->files[i].path));
        data_push(arena, file, data_str(arena, lineage->files[i].source));
        data_push(arena, file, data_int(arena, lineage->files[i].policy));
        data_push(arena, file, data_int(arena, lineage->files[i].merge));
        data_push(arena, list, file);
    }
    return list;
}

static bool is_number(const struct data *data, int64_t end)
{
    return data->kind == DATA_INT && data->integer >= 0 && data->integer < end;
}

void lineage_parse(struct file_lineage *out, struct arena *arena, const struct data *data)
{
    size_t count = data && data->kind == DATA_LIST ? data->list.count : 0;
    *out = (struct file_lineage){arena_array(arena, count + 1, sizeof(*out->files)), 0};
    for (size_t i = 0; i < count; i++) {
        const struct data *file = data->list.items[i];
        if (file->kind != DATA_LIST || file->list.count != 4)
            continue;
        struct data *const *member = file->list.items;
        if (member[0]->kind == DATA_STR && member[1]->kind == DATA_STR &&
            is_number(member[2], POLICY_COUNT) && is_number(member[3], MERGE_LINES + 1))
            out->files[out->count++] = (struct lineage_entry){
                data_text(member[0]), data_text(member[1]), (enum file_policy)member[2]->integer,
                (enum file_merge)member[3]->integer};
    }
    qsort(out->files, out->count, sizeof(*out->files), str_compare_first);
}

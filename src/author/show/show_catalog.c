/* The documents of `template list` and `template show`. */
#include "author/show_catalog.h"

#include "author/show/type_files.h"
#include "base/arena.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/render.h"
#include "child/making.h"
#include "data/document.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

struct data *show_catalog(struct arena *arena, const struct catalog *catalog)
{
    return data_of(arena, FIELD("name", catalog->name), FIELD("version", catalog->origin.version),
                   FIELD("source", catalog->origin.source), FIELD("ref", catalog->origin.ref),
                   FIELD("commit", catalog->origin.commit));
}

/* ---------------------------------------------------------------- manifests */

/* Lines for offsets in texts; offsets mostly ascend, so each byte is read once. Starts zeroed. */
struct line_counter {
    const char *text;      /* the last text */
    size_t offset, before; /* line ends before the offset in it */
};

/* The line of a byte, from 1. */
static size_t line_counter_at(struct line_counter *counter, struct span text, size_t offset)
{
    if (offset < counter->offset || (counter->offset && text.ptr != counter->text))
        *counter = (struct line_counter){NULL, 0, 0};
    counter->text = text.ptr;
    for (; counter->offset < offset && counter->offset < text.len; counter->offset++)
        counter->before += text.ptr[counter->offset] == '\n';
    return counter->before + 1;
}

/* "templates/service/template.yml:12", which editors can open; null where no file has it. */
static void push_placed(struct arena *arena, struct data *list, struct data *map,
                        const struct yaml_node *node, struct line_counter *lines)
{
    size_t line = node ? line_counter_at(lines, node->doc->source, node->offset) : 0;
    data_add(arena, map, FIELD("file", node ? node->doc->name : NULL),
             FIELD("line", node ? data_int(arena, (int64_t)line) : data_null(arena)));
    data_push(arena, list, map);
}

static struct data *words_data(struct arena *arena, const struct words *words)
{
    return data_texts(arena, words->items, words->count);
}

static struct data *frameworks_data(struct arena *arena, const struct catalog *catalog,
                                    const struct manifest *manifest)
{
    struct words names = manifest->frameworks;
    if (manifest->has_stack && !names.count)
        names.count = matrix_frameworks(&names.items, arena, catalog->files);
    return words_data(arena, &names);
}

static struct data *layers_data(struct arena *arena, const struct manifest *manifest)
{
    struct line_counter lines = {NULL, 0, 0};
    struct data *list = data_list(arena);
    for (size_t i = 0; i < manifest->layer_count; i++) {
        const struct layer_use *use = &manifest->layers[i];
        struct data *map =
            data_of(arena, FIELD("name", use->name.text), FIELD("when", use->when.text),
                    FIELD("overrides", words_data(arena, &use->overrides)));
        push_placed(arena, list, map, use->name.node, &lines);
    }
    return list;
}

/* A default or choices as written: a text, or a list of texts. */
static struct data *node_data(struct arena *arena, const struct yaml_node *node)
{
    if (!node || yaml_is_null(node))
        return data_null(arena);
    if (node->kind == YAML_SCALAR)
        return data_span(arena, node->text);
    struct data *list = data_list(arena);
    for (size_t i = 0; node->kind == YAML_LIST && i < node->list.count; i++)
        data_push(arena, list, node_data(arena, node->list.items[i]));
    return list;
}

/* One part of each choice. */
static struct data *choices_data(struct arena *arena, const struct yaml_node *choices,
                                 const struct yaml_node *part(const struct yaml_node *choice))
{
    struct data *list = data_list(arena);
    if (!choices || choices->kind != YAML_LIST)
        return part == choice_value ? node_data(arena, choices) : data_null(arena);
    for (size_t i = 0; i < choices->list.count; i++)
        data_push(arena, list, node_data(arena, part(choices->list.items[i])));
    return list;
}

static struct data *bringers_data(struct arena *arena, const struct question *question)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < question->bringer_count; i++)
        data_push(arena, list, data_str(arena, question->bringers[i].layer));
    return list;
}

static struct data *question_data(struct arena *arena, const struct question *question)
{
    bool list = question->type == QUESTION_LIST;
    return data_of(
        arena, FIELD("name", question->name), FIELD("type", question_type_names[question->type]),
        FIELD("items", list ? question_type_names[question->items] : NULL),
        FIELD("help", question->help.text), FIELD("default", node_data(arena, question->fallback)),
        FIELD("computed", question->computed.text),
        FIELD("choices", choices_data(arena, question->choices, choice_value)),
        FIELD("labels", choices_data(arena, question->choices, choice_label)),
        FIELD("pattern", question->pattern), FIELD("min", question->min),
        FIELD("max", question->max), FIELD("multiline", question->multiline),
        FIELD("secret", question->secret), FIELD("when", question->when.text),
        FIELD("layers", bringers_data(arena, question)));
}

static struct data *questions_data(struct arena *arena, const struct manifest *manifest)
{
    struct line_counter lines = {NULL, 0, 0};
    struct data *list = data_list(arena);
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        struct data *map = question_data(arena, question);
        push_placed(arena, list, map, question->node, &lines);
    }
    return list;
}

static struct data *refusals_data(struct arena *arena, const struct manifest *manifest)
{
    struct line_counter lines = {NULL, 0, 0};
    struct data *list = data_list(arena);
    for (size_t i = 0; i < manifest->refusal_count; i++) {
        struct data *map = data_of(arena, FIELD("when", manifest->refusals[i].when.text),
                                   FIELD("because", manifest->refusals[i].because.text),
                                   FIELD("exit", manifest->refusals[i].no_row ? 4 : 2),
                                   FIELD("layer", manifest->refusals[i].layer));
        push_placed(arena, list, map, manifest->refusals[i].when.node, &lines);
    }
    return list;
}

static struct data *renames_data(struct arena *arena, const char *const *old,
                                 const char *const *new, size_t count)
{
    struct data *map = data_map(arena);
    for (size_t i = 0; i < count; i++)
        data_put_text(arena, map, old[i], new[i]);
    return map;
}

static struct data *migrations_data(struct arena *arena, const struct manifest *manifest)
{
    struct line_counter lines = {NULL, 0, 0};
    struct data *list = data_list(arena);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *m = &manifest->migrations[i];
        struct data *map = data_of(
            arena, FIELD("from", m->from),
            FIELD("rename_answers", renames_data(arena, m->rename_answers.old,
                                                 m->rename_answers.new, m->rename_answers.count)),
            FIELD("rename_files", renames_data(arena, m->rename_files.old, m->rename_files.new,
                                               m->rename_files.count)),
            FIELD("drop_answers", words_data(arena, &m->drop_answers)), FIELD("note", m->note));
        push_placed(arena, list, map, m->node, &lines);
    }
    return list;
}

static struct data *next_data(struct arena *arena, const struct manifest *manifest)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < manifest->next_count; i++)
        data_push(arena, list, data_str(arena, manifest->next[i].text));
    return list;
}

/* ---------------------------------------------------------------- paths */

static void put_rules(struct arena *arena, struct data *map, const struct type_file *file,
                      const struct type_files *parts)
{
    enum file_policy policy = POLICY_MERGE;
    enum file_merge merge = MERGE_TEXT;
    for (size_t i = 0; i < parts->layer_count; i++) /* the last row that matches decides */
        for (size_t j = 0; j < parts->layers[i].layer.rule_count; j++) {
            const struct file_rule *rule = &parts->layers[i].layer.rules[j];
            if (!type_files_may_match(rule->glob, file))
                continue;
            policy = rule->has_policy ? rule->policy : policy;
            merge = rule->has_merge ? rule->merge : merge;
        }
    data_add(arena, map, FIELD("policy", file_policy_names[policy]),
             FIELD("merge", file_merge_names[merge]));
}

/* The conditions that must all hold: the layer's, then those of its rows that match the path. */
static struct data *conditions_data(struct arena *arena, const struct type_file *file)
{
    const struct layer *layer = &file->layer->layer;
    struct data *list = data_list(arena);
    if (file->layer->use && file->layer->use->when.text)
        data_push(arena, list, data_str(arena, file->layer->use->when.text));
    for (size_t i = 0; i < layer->rule_count; i++)
        if (layer->rules[i].when.text && type_files_may_match(layer->rules[i].glob, file))
            data_push(arena, list, data_str(arena, layer->rules[i].when.text));
    return list;
}

/* The files of later layers that replace this one where they exist. */
static struct data *replaced_by(struct arena *arena, const struct type_files *parts,
                                const struct type_file *file)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < parts->file_count; i++)
        if (parts->files[i].layer->order > file->layer->order &&
            type_files_may_meet(&parts->files[i], file) && type_files_overrides(&parts->files[i]))
            data_push(arena, list, data_str(arena, parts->files[i].source));
    return list;
}

static struct data *path_data(struct arena *arena, const struct type_files *parts,
                              const struct type_file *file, const char *path)
{
    struct data *map =
        data_of(arena, FIELD("path", path),
                FIELD("layer", file->layer->use ? file->layer->layer.name : NULL),
                FIELD("source", file->source), FIELD("when", conditions_data(arena, file)));
    put_rules(arena, map, file, parts);
    return data_add(arena, map, FIELD("executable", file->executable),
                    FIELD("rendered", file->is_template),
                    FIELD("replaced_by", replaced_by(arena, parts, file)));
}

/* Sorts by path; equal paths by the order of the layers. */
static int compare_files(const void *a, const void *b)
{
    const struct type_file *x = *(const struct type_file *const *)a;
    const struct type_file *y = *(const struct type_file *const *)b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x > y) - (x < y);
}

static struct data *paths_data(struct arena *arena, const struct type_files *parts)
{
    struct data *list = data_list(arena);
    const struct type_file **sorted = arena_array(arena, parts->file_count + 1, sizeof(*sorted));
    for (size_t i = 0; i < parts->file_count; i++)
        sorted[i] = &parts->files[i];
    qsort(sorted, parts->file_count, sizeof(*sorted), compare_files);
    for (size_t i = 0; i < parts->file_count; i++)
        data_push(arena, list, path_data(arena, parts, sorted[i], sorted[i]->path));
    return list;
}

/* The files of a render; the ones that tmplgen itself adds have no source. */
static struct data *rendered_data(struct arena *arena, const struct type_files *parts,
                                  const struct render *render)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < render->count; i++)
        for (size_t j = 0; j < parts->file_count; j++)
            if (str_equal(parts->files[j].source, render->entries[i].source)) {
                struct data *map =
                    path_data(arena, parts, &parts->files[j], render->entries[i].path);
                data_add(arena, map, FIELD("policy", file_policy_names[render->entries[i].policy]),
                         FIELD("merge", file_merge_names[render->entries[i].merge]));
                data_push(arena, list, map);
                break;
            }
    return list;
}

/* ---------------------------------------------------------------- types */

static struct data *type_data(struct arena *arena, const struct catalog *catalog,
                              const struct manifest *manifest)
{
    return data_of(arena, FIELD("type", manifest->type),
                   FIELD("description", manifest->description),
                   FIELD("stack", manifest->has_stack ? "framework" : "none"),
                   FIELD("frameworks", frameworks_data(arena, catalog, manifest)),
                   FIELD("layers", layers_data(arena, manifest)));
}

int show_types(struct data **out, struct arena *arena, const struct catalog *catalog,
               struct err *err)
{
    const char **types;
    size_t count = catalog_types(&types, arena, catalog->files);
    *out = data_list(arena);
    for (size_t i = 0; i < count; i++) {
        struct manifest *manifest;
        if (manifest_load(&manifest, arena, catalog, types[i], err) < 0)
            return -1;
        data_push(arena, *out, type_data(arena, catalog, manifest));
    }
    return 0;
}

/* Everything but the paths. */
static struct data *manifest_data(struct arena *arena, const struct catalog *catalog,
                                  const struct manifest *manifest)
{
    struct data *map = data_map(arena);
    const struct data *type = type_data(arena, catalog, manifest);
    data_put(arena, map, "catalog", show_catalog(arena, catalog));
    for (size_t i = 0; i < type->map.count; i++)
        data_put_span(arena, map, type->map.members[i].name, type->map.members[i].value);
    return data_add(arena, map, FIELD("frameworks_because", manifest->frameworks_because),
                    FIELD("python", manifest->python),
                    FIELD("distributions", words_data(arena, &manifest->distributions)),
                    FIELD("questions", questions_data(arena, manifest)),
                    FIELD("refuse", refusals_data(arena, manifest)),
                    FIELD("migrations", migrations_data(arena, manifest)),
                    FIELD("next", next_data(arena, manifest)));
}

int show_type(struct data **out, struct arena *arena, const struct catalog *catalog,
              const struct manifest *manifest, struct err *err)
{
    struct type_files parts;
    if (type_files_gather(&parts, arena, catalog->files, manifest, NULL, NULL, err) < 0)
        return -1;
    *out = manifest_data(arena, catalog, manifest);
    data_add(arena, *out, FIELD("answers", data_null(arena)),
             FIELD("files", paths_data(arena, &parts)));
    return 0;
}

int show_render(struct data **out, const struct making *m, struct err *err)
{
    struct type_files parts;
    if (type_files_gather(&parts, m->arena, m->catalog->files, m->manifest, NULL, NULL, err) < 0)
        return -1;
    *out = manifest_data(m->arena, m->catalog, m->manifest);
    data_add(m->arena, *out, FIELD("answers", data_copy(m->arena, m->answers.kept)),
             FIELD("files", rendered_data(m->arena, &parts, &m->render)));
    return 0;
}

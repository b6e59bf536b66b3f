/* Finds parts without effect: questions, layers, includes, globs. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "base/budget.h"
#include "catalog/catalog.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

/* ---------------------------------------------------------------- questions */

static void unused_questions(struct lint *lint, const struct lint_type *type)
{
    for (size_t i = 0; i < type->manifest->question_count; i++) {
        ERR_SCRATCH(wrong);
        const struct question *question = &type->manifest->questions[i];
        if (strcmp(question->name, "name") == 0 || data_get(type->read, question->name) ||
            findings_full(lint->findings, RULE_UNUSED_QUESTION))
            continue;
        (void)yaml_error(&wrong, question->node, "no template reads the answer to '%s'",
                         question->name);
        (void)err_hint(&wrong, "use it in a template, or remove the question");
        findings_add_of(lint->findings, RULE_UNUSED_QUESTION, &wrong, question->name, type->name);
    }
}

/* ---------------------------------------------------------------- layers and includes */

static bool is_taken(const struct lint *lint, const char *layer)
{
    for (size_t i = 0; i < lint->type_count; i++)
        for (size_t j = 0; j < lint->types[i].parts.layer_count; j++)
            if (lint->types[i].parts.layers[j].use &&
                str_equal(lint->types[i].parts.layers[j].layer.name, layer))
                return true;
    return false;
}

static int unused_layers(struct lint *lint)
{
    const char **names;
    size_t count = layer_names(&names, lint->arena, lint->files);
    for (size_t i = 0; i < count; i++) {
        ERR_SCRATCH(wrong);
        if (is_taken(lint, names[i]))
            continue;
        (void)err_set(&wrong, TG_USAGE, "invalid", "no type and no base image takes the layer '%s'",
                      names[i]);
        (void)err_hint(&wrong, "name it under 'layers' of a type, or remove it");
        if (lint_keep_at(lint, RULE_UNUSED_LAYER, &wrong,
                         arena_printf(lint->arena, "templates/_layers/%s/layer.yml", names[i])) < 0)
            return -1;
    }
    return 0;
}

static int unused_includes(struct lint *lint)
{
    for (size_t i = 0; i < lint->include_count; i++) {
        ERR_SCRATCH(wrong);
        if (data_get(lint->reached, lint->include_paths[i]))
            continue;
        (void)err_set(&wrong, TG_USAGE, "invalid", "nothing includes '%s'", lint->include_names[i]);
        (void)err_hint(&wrong, "include it, or remove it");
        if (lint_keep_at(lint, RULE_UNUSED_INCLUDE, &wrong, lint->include_paths[i]) < 0)
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- globs */

/* A row of a manifest with globs, and whether they have matched in any type so far. */
struct glob_row {
    const char *file; /* of the manifest */
    const char *kind; /* "files", "delimiters", "overrides" */
    const char *glob;
    size_t number; /* of the row, or of the layer that has the overrides */
    bool matches;  /* a file matched, in some type */
};

struct glob_rows {
    struct lint *lint;
    struct data *numbers; /* of the items, by "manifest kind number layer" */
    struct glob_row *items;
    size_t count;
    struct yaml_doc *doc; /* the manifest read last */
};

static void note_row(struct glob_rows *rows, const struct glob_row *row)
{
    struct arena *arena = rows->lint->arena;
    const char *key = arena_printf(arena, "%s %s %zu %s", row->file, row->kind, row->number,
                                   strcmp(row->kind, "overrides") == 0 ? row->glob : "");
    const struct data *known = data_get(rows->numbers, key);
    size_t number = known ? (size_t)known->integer : rows->count;
    if (number < rows->count) {
        rows->items[number].matches |= row->matches;
        return;
    }
    data_put(arena, rows->numbers, key, data_int(arena, (int64_t)number));
    arena_push(arena, rows->items, rows->count) = *row;
}

static const char *manifest_path(const struct lint *lint, const struct lint_type *type,
                                 const struct type_layer *layer)
{
    if (layer->use)
        return arena_printf(lint->arena, "templates/_layers/%s/layer.yml", layer->layer.name);
    return type->image ? arena_printf(lint->arena, "base-images/%s/image.yml", type->name)
                       : arena_printf(lint->arena, "templates/%s/template.yml", type->name);
}

/* A policy applies to a path in any layer; a condition applies to the layer's own files. */
static bool rule_matches(const struct type_files *parts, const struct type_layer *layer,
                         const struct file_rule *rule)
{
    bool own_only = !rule->has_policy && !rule->has_merge;
    for (size_t i = 0; i < parts->file_count; i++)
        if ((!own_only || parts->files[i].layer == layer) &&
            type_files_may_match(rule->glob, &parts->files[i]))
            return true;
    return false;
}

static bool delimiters_match(const struct type_files *parts, const struct type_layer *layer,
                             const char *glob)
{
    for (size_t i = 0; i < parts->file_count; i++)
        if (parts->files[i].layer == layer &&
            budget_glob(glob, parts->files[i].source + strlen(layer->layer.folder)))
            return true;
    return false;
}

/* True where it names a file of the layer that may replace one of an earlier layer. */
static bool override_matches(const struct type_files *parts, const struct type_layer *layer,
                             const char *glob)
{
    for (size_t i = 0; i < parts->file_count; i++) {
        const struct type_file *file = &parts->files[i];
        if (file->layer != layer || !type_files_may_match(glob, file))
            continue;
        for (size_t j = 0; j < parts->file_count; j++)
            if (parts->files[j].layer->order < layer->order &&
                type_files_may_meet(file, &parts->files[j]))
                return true;
    }
    return false;
}

static void note_layer(struct glob_rows *rows, const struct lint_type *type,
                       const struct type_layer *part)
{
    const struct layer *layer = &part->layer;
    const char *own = manifest_path(rows->lint, type, part);
    for (size_t i = 0; i < layer->rule_count; i++)
        note_row(rows, &(struct glob_row){own, "files", layer->rules[i].glob, i,
                                          rule_matches(&type->parts, part, &layer->rules[i])});
    for (size_t i = 0; i < layer->delimiter_count; i++)
        note_row(rows, &(struct glob_row){
                           own, "delimiters", layer->delimiters[i].glob, i,
                           delimiters_match(&type->parts, part, layer->delimiters[i].glob)});
    const char *user = manifest_path(rows->lint, type, &(struct type_layer){.use = NULL});
    for (size_t i = 0; i < layer->overrides.count; i++)
        note_row(rows, &(struct glob_row){
                           user, "overrides", layer->overrides.items[i], part->order,
                           override_matches(&type->parts, part, layer->overrides.items[i])});
}

/* ---------------------------------------------------------------- the place of a glob */

/* The scalar with the glob of a row. */
static const struct yaml_node *node_of(const struct yaml_node *root, const struct glob_row *row)
{
    const struct yaml_node *list = yaml_get(root, row->kind);
    if (strcmp(row->kind, "overrides") == 0) {
        const struct yaml_node *layers = yaml_get(root, "layers");
        if (layers && layers->kind == YAML_LIST && row->number < layers->list.count)
            list = yaml_get(layers->list.items[row->number], "overrides");
        for (size_t i = 0; list && list->kind == YAML_LIST && i < list->list.count; i++)
            if (str_equal(list->list.items[i]->text.ptr, row->glob))
                return list->list.items[i];
        return list;
    }
    if (!list || list->kind != YAML_LIST || row->number >= list->list.count)
        return list;
    return yaml_get(list->list.items[row->number], "match");
}

static int unused_row(struct glob_rows *rows, const struct glob_row *row)
{
    ERR_SCRATCH(wrong);
    ERR_SCRATCH(ignored);
    struct lint *lint = rows->lint;
    bool overrides = strcmp(row->kind, "overrides") == 0;
    enum lint_rule rule = overrides ? RULE_UNUSED_OVERRIDE : RULE_UNUSED_GLOB;
    if (findings_full(lint->findings, rule))
        return 0;
    if ((!rows->doc || strcmp(rows->doc->name, row->file) != 0) &&
        fileset_document(&rows->doc, lint->arena, lint->files, row->file, &ignored) < 0)
        return 0;
    const struct yaml_doc *doc = rows->doc;
    if (overrides)
        (void)yaml_error(&wrong, node_of(doc->root, row),
                         "'%s' replaces no file of an earlier layer", row->glob);
    else
        (void)yaml_error(&wrong, node_of(doc->root, row), "'%s' matches no file", row->glob);
    (void)err_hint(&wrong, strcmp(row->kind, "delimiters") == 0
                               ? "globs of 'delimiters' are matched against the path below files/, "
                                 "with its .j2"
                               : "globs are matched against paths of the project: without .j2, "
                                 "names rendered");
    return lint_keep(lint, rule, &wrong);
}

static int unused_globs(struct lint *lint)
{
    struct glob_rows rows = {.lint = lint, .numbers = data_map(lint->arena)};
    for (size_t i = 0; i < lint->type_count; i++)
        for (size_t j = 0; j < lint->types[i].parts.layer_count; j++) {
            if (!lint->types[i].damaged)
                note_layer(&rows, &lint->types[i], &lint->types[i].parts.layers[j]);
            if (budget_steps(0, lint->err) < 0)
                return -1;
        }
    for (size_t i = 0; i < rows.count; i++)
        if (!rows.items[i].matches && unused_row(&rows, &rows.items[i]) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- defaults of the catalog */

static bool is_asked(const struct lint *lint, const char *name)
{
    for (size_t i = 0; i < lint->type_count; i++) {
        const struct lint_type *type = &lint->types[i];
        if (!type->image && (manifest_question(type->manifest, name) ||
                             (type->damaged && data_get(type->known, name))))
            return true;
    }
    return false;
}

static const char *nearest_question(const struct lint *lint, const char *name)
{
    const char **names = NULL;
    size_t count = 0;
    for (size_t i = 0; i < lint->type_count; i++)
        for (size_t j = 0; j < lint->types[i].manifest->question_count; j++) {
            arena_push(lint->arena, names, count) = lint->types[i].manifest->questions[j].name;
        }
    return str_nearest(name, names, count);
}

/* A damaged layer may have had the question. */
static int unused_defaults(struct lint *lint)
{
    const struct yaml_node *defaults = yaml_get(lint->catalog->yml, "defaults");
    for (size_t i = 0; i < lint->type_count; i++)
        if (lint->types[i].layers_damaged)
            return 0;
    for (size_t i = 0; defaults && i < defaults->map.count; i++) {
        ERR_SCRATCH(wrong);
        const struct yaml_node *key = defaults->map.members[i].key;
        if (is_asked(lint, key->text.ptr) || findings_full(lint->findings, RULE_UNUSED_DEFAULT))
            continue;
        const char *near = nearest_question(lint, key->text.ptr);
        (void)yaml_error(&wrong, key, "no type asks for '%s'", key->text.ptr);
        (void)err_hint(&wrong, near ? "did you mean '%s'?" : "name a question, or remove it", near);
        if (lint_keep(lint, RULE_UNUSED_DEFAULT, &wrong) < 0)
            return -1;
    }
    return 0;
}

int lint_unused(struct lint *lint)
{
    for (size_t i = 0; i < lint->type_count; i++)
        if (lint->types[i].manifest && !lint->types[i].damaged && !lint->types[i].layers_damaged &&
            !lint->types[i].image)
            unused_questions(lint, &lint->types[i]);
    if (!lint->whole)
        return 0;
    for (size_t i = 0; i < lint->type_count; i++)
        if (!lint->types[i].manifest)
            return 0; /* its layers are not known */
    if (unused_layers(lint) < 0 || unused_includes(lint) < 0 || unused_defaults(lint) < 0)
        return -1;
    return unused_globs(lint);
}

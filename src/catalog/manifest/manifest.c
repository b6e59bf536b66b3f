/* Reading template.yml and layer.yml, strictly. */
#include "catalog/manifest.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/manifest/manifest_parts.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/version.h"
#include "resolver/request.h"

#include <string.h>

static int read_layer_use(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"name", "when", "overrides", NULL};
    struct layer_use *use = out;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        reader_text(&use->name, reader, node, "name") < 0 ||
        reader_text(&use->when, reader, node, "when") < 0)
        return -1;
    if (!use->name.text)
        return yaml_error(reader->err, node, "'name' is missing");
    return layer_read_overrides(&use->overrides, reader, node);
}

static int read_renames(const char ***old, const char ***new, size_t *count,
                        const struct reader *reader, const struct yaml_node *node)
{
    if (!node)
        return 0;
    if (reader_want_map(reader, node, "a list of renames") < 0)
        return -1;
    *old = arena_array(reader->arena, node->map.count + 1, sizeof(**old));
    *new = arena_array(reader->arena, node->map.count + 1, sizeof(**new));
    for (size_t i = 0; i < node->map.count; i++) {
        (*old)[i] = node->map.members[i].key->text.ptr;
        if (yaml_text(&(*new)[i], node->map.members[i].value, "the new name", reader->err) < 0)
            return -1;
    }
    *count = node->map.count;
    return 0;
}

static int read_migration(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"from",         "rename_answers", "rename_files",
                                       "drop_answers", "note",           NULL};
    struct migration *migration = out;
    migration->node = node;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        reader_required(&migration->from, reader, node, "from") < 0 ||
        yaml_text(&migration->note, yaml_get(node, "note"), "note", reader->err) < 0 ||
        read_renames(&migration->rename_answers.old, &migration->rename_answers.new,
                     &migration->rename_answers.count, reader,
                     yaml_get(node, "rename_answers")) < 0 ||
        read_renames(&migration->rename_files.old, &migration->rename_files.new,
                     &migration->rename_files.count, reader, yaml_get(node, "rename_files")) < 0)
        return -1;
    return yaml_texts(&migration->drop_answers, reader->arena, yaml_get(node, "drop_answers"),
                      "drop_answers", reader->err);
}

static int read_files(struct manifest *manifest, const struct reader *reader, const char *folder,
                      const struct yaml_node *root)
{
    struct layer *own = &manifest->own;
    own->name = manifest->type;
    own->folder = arena_printf(reader->arena, "%s/%s/files/", folder, manifest->type);
    if (layer_read_rules(own, reader, root) < 0 ||
        layer_read_overrides(&own->overrides, reader, root) < 0 ||
        layer_check_count(reader, yaml_get(root, "layers"), "layers", LIMIT_LAYERS) < 0)
        return -1;
    return READER_LIST(manifest->layers, manifest->layer_count, reader, root, "layers",
                       read_layer_use);
}

int manifest_read_files(struct manifest *out, struct arena *arena, const char *name,
                        const struct yaml_node *root, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct reader reader = {arena, err};
    *out = (struct manifest){.type = name};
    return read_files(out, &reader, "base-images", root);
}

static int read_python(struct manifest *manifest, const struct reader *reader,
                       const struct yaml_node *node)
{
    struct spec spec;
    ERR_SCRATCH(inner);
    if (yaml_text(&manifest->python, node, "python", reader->err) < 0)
        return -1;
    if (manifest->python &&
        spec_parse(&spec, reader->arena, manifest->python, "python", &inner) < 0)
        return yaml_error(reader->err, node, "'python' must be a SPEC such as \">=3.10\"");
    return 0;
}

static int read_next(struct manifest *manifest, const struct reader *reader,
                     const struct yaml_node *node)
{
    struct words texts = {NULL, 0};
    if (yaml_texts(&texts, reader->arena, node, "next", reader->err) < 0)
        return -1;
    for (size_t i = 0; i < texts.count; i++)
        arena_push(reader->arena, manifest->next, manifest->next_count) =
            (struct manifest_text){texts.items[i], node->list.items[i]};
    return 0;
}

static int read_manifest(struct manifest *manifest, const struct reader *reader,
                         const struct yaml_node *root)
{
    static const char *const keys[] = {
        "description", "stack",         "layers", "questions", "files",      "migrations",
        "delimiters",  "overrides",     "next",   "python",    "frameworks", "frameworks_because",
        "refuse",      "distributions", NULL};
    static const char *const stacks[] = {"none", "framework"};
    size_t stack = 1;
    if (yaml_check_keys(root, keys, reader->err) < 0 ||
        reader_required(&manifest->description, reader, root, "description") < 0 ||
        reader_word(&stack, reader, yaml_get(root, "stack"), "stack", stacks, 2) < 0 ||
        read_files(manifest, reader, "templates", root) < 0 ||
        layer_read_refusals(&manifest->refusals, &manifest->refusal_count, reader, root) < 0 ||
        READER_LIST(manifest->migrations, manifest->migration_count, reader, root, "migrations",
                    read_migration) < 0 ||
        yaml_texts(&manifest->frameworks, reader->arena, yaml_get(root, "frameworks"), "frameworks",
                   reader->err) < 0 ||
        yaml_text(&manifest->frameworks_because, yaml_get(root, "frameworks_because"),
                  "frameworks_because", reader->err) < 0 ||
        yaml_texts(&manifest->distributions, reader->arena, yaml_get(root, "distributions"),
                   "distributions", reader->err) < 0 ||
        read_next(manifest, reader, yaml_get(root, "next")) < 0)
        return -1;
    manifest->has_stack = stack == 1;
    return read_python(manifest, reader, yaml_get(root, "python"));
}

static int unknown_type(const struct reader *reader, const struct catalog *catalog,
                        const char *type)
{
    const char **types;
    size_t count = catalog_types(&types, reader->arena, catalog->files);
    const char *nearest = str_nearest(type, types, count);
    const char *list = str_join(reader->arena, types, count, ", ");
    (void)err_set(reader->err, TG_USAGE, "unknown-type", "the catalog '%s' has no type '%s'",
                  catalog->name, type);
    if (nearest)
        return err_hint(reader->err, "did you mean '%s'? There is: %s", nearest, list);
    return err_hint(reader->err, "there is: %s", list);
}

/* A type's file rules also apply to the files that it inherits. */
static void add_rules(struct layer *layer, struct arena *arena, const struct layer *more)
{
    layer->rules = arena_join(arena, layer->rules, layer->rule_count, more->rules, more->rule_count,
                              sizeof(*layer->rules));
    layer->rule_count += more->rule_count;
}

static int read_inherited(struct manifest *manifest, const struct reader *reader,
                          const struct extended_type *extended)
{
    size_t count = extended->lent_count;
    manifest->inherited = arena_array(reader->arena, count + 1, sizeof(*manifest->inherited));
    for (size_t i = 0; i < count; i++) {
        struct manifest base = {.type = extended->lent[i].type};
        if (read_files(&base, reader, "templates", extended->lent[i].root) < 0)
            return -1;
        manifest->inherited[manifest->inherited_count++] = base.own;
        for (size_t j = 0; j < i; j++)
            add_rules(&manifest->inherited[j], reader->arena, &base.own);
    }
    for (size_t i = 0; i < count; i++)
        add_rules(&manifest->inherited[i], reader->arena, &manifest->own);
    return 0;
}

static int read_questions(struct manifest *manifest, const struct reader *reader,
                          const struct catalog *catalog, const struct yaml_node *root)
{
    struct questions questions;
    if (questions_join(&questions, reader, catalog->files, manifest->layers, manifest->layer_count,
                       root) < 0)
        return -1;
    manifest->questions = questions.items;
    manifest->question_count = questions.count;
    manifest->question_names = questions.names;
    manifest->refusals = arena_join(reader->arena, manifest->refusals, manifest->refusal_count,
                                    questions.refusals, questions.refusal_count,
                                    sizeof(*manifest->refusals)); /* behind the type's own */
    manifest->refusal_count += questions.refusal_count;
    return 0;
}

static void place_migration(struct migration *migration, const struct extended_type *extended,
                            const struct catalog *catalog)
{
    migration->depth = manifest_depth(extended, catalog, migration->node);
    for (size_t i = 0; i < migration->depth; i++)
        catalog = catalog->extends;
    migration->source = catalog->origin.source;
}

/* Sets the catalogs whose versions migrations refer to, and the catalogs' defaults. */
static void settle(struct manifest *manifest, const struct extended_type *extended,
                   const struct catalog *catalog)
{
    manifest->kind = extended->kind;
    for (size_t i = 0; i < manifest->migration_count; i++)
        place_migration(&manifest->migrations[i], extended, catalog);
    for (size_t i = 0; i < manifest->question_count; i++) {
        struct question *question = &manifest->questions[i];
        const struct yaml_node *value =
            manifest_default(extended, catalog, question->name,
                             question->fallback ? question->fallback : question->node);
        question->fallback = value ? value : question->fallback;
    }
}

int manifest_load(struct manifest **out, struct arena *arena, const struct catalog *catalog,
                  const char *type, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct reader reader = {arena, err};
    struct manifest *manifest = arena_alloc(arena, sizeof(*manifest));
    const char *path = arena_printf(arena, "templates/%s/template.yml", type);
    struct yaml_doc *doc;
    if (strchr(type, '/') || *type == '_' || fileset_find(catalog->files, path) < 0)
        return unknown_type(&reader, catalog, type);
    manifest->type = arena_strdup(arena, type);
    if (layer_document(&doc, &reader, catalog->files, path) < 0)
        return -1;
    const struct yaml_node *root = doc->root;
    struct extended_type extended;
    if (manifest_extend(&extended, &root, arena, catalog, manifest->type, err) < 0 ||
        read_manifest(manifest, &reader, root) < 0 ||
        read_inherited(manifest, &reader, &extended) < 0 ||
        read_questions(manifest, &reader, catalog, root) < 0)
        return -1;
    settle(manifest, &extended, catalog);
    *out = manifest;
    return 0;
}

const struct question *manifest_question(const struct manifest *manifest, const char *name)
{
    size_t number = intern_find(&manifest->question_names, span_from(name));
    return number == INTERN_NONE ? NULL : &manifest->questions[number];
}

struct stack_need manifest_need(const struct manifest *manifest)
{
    return (struct stack_need){manifest->type, manifest->python, manifest->frameworks,
                               manifest->distributions};
}

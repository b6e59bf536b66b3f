/* One text as each manifest of a catalog: it is read, or refused with its place. */
#include "fuzz.h"
#include "memory_catalog.h"

#include "catalog/base_image.h"
#include "catalog/manifest.h"
#include "matrix/version.h"

static void check_rules(const struct layer *layer)
{
    for (size_t i = 0; i < layer->rule_count; i++) {
        const struct file_rule *rule = &layer->rules[i];
        must(strlen(rule->glob) <= LIMIT_GLOB_BYTES);
        must(rule->has_policy || rule->has_merge || rule->when.text);
        must(rule->policy < POLICY_COUNT && rule->merge < MERGE_COUNT);
        (void)glob_match(rule->glob, "src/a/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/aaaaaaaaaaaab.py");
    }
    for (size_t i = 0; i < layer->overrides.count; i++)
        must(strlen(layer->overrides.items[i]) <= LIMIT_GLOB_BYTES);
    (void)layer_delimiters(layer, "src/a/b.py");
}

static void check_questions(const struct manifest *manifest)
{
    must(manifest_question(manifest, "name"));
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        must(question->node && question->type < QUESTION_TYPE_COUNT);
        must(manifest_question(manifest, question->name) == question);
        must(stack_choice_of(span_from(question->name)) == CHOICE_COUNT);
        must(question->choices || question->type != QUESTION_CHOICE);
    }
}

static void check_manifest(struct arena *arena, const struct catalog *catalog,
                           const struct manifest *manifest)
{
    ERR_SCRATCH(err);
    struct spec spec;
    must(manifest->description);
    check_rules(&manifest->own);
    check_questions(manifest);
    must(!manifest->python || spec_parse(&spec, arena, manifest->python, "python", &err) == 0);
    for (size_t i = 0; i < manifest->layer_count; i++)
        must(manifest->layers[i].name.text && manifest->layers[i].name.node);
    for (size_t i = 0; i < manifest->refusal_count; i++)
        must(manifest->refusals[i].when.text && manifest->refusals[i].because.text);
    for (size_t i = 0; i < manifest->migration_count; i++)
        must(manifest->migrations[i].from);
    if (manifest_check_use(arena, catalog, manifest, &err) < 0)
        memory_check_refusal(&err);
}

/* The text as a file at `path` of a catalog, which is not read yet. */
static struct memory_files *at(struct arena *arena, const char *path, struct span text)
{
    struct memory_files *files = arena_alloc(arena, sizeof(*files));
    memory_put(files, arena, path, text);
    memory_settle(files);
    return files;
}

static void read_template(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct manifest *manifest;
    struct memory_files *files = at(arena, "templates/t/template.yml", text);
    struct catalog catalog = memory_catalog(files);
    if (manifest_load(&manifest, arena, &catalog, "t", &err) < 0)
        memory_check_refusal(&err);
    else
        check_manifest(arena, &catalog, manifest);
}

static void read_layer(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct layer layer;
    struct memory_files *files = at(arena, "templates/_layers/t/layer.yml", text);
    if (layer_load(&layer, arena, &files->set, "t", &err) < 0)
        memory_check_refusal(&err);
    else
        check_rules(&layer);
}

static void read_image(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct base_image *image;
    struct memory_files *files = at(arena, "base-images/t/image.yml", text);
    struct catalog catalog = memory_catalog(files);
    if (base_image_load(&image, arena, &catalog, "t", &err) < 0)
        memory_check_refusal(&err);
    else
        must(image->description && image->framework && image->budget >= 0);
}

static void read_catalog(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct memory_files *files = at(arena, "catalog.yml", text);
    struct catalog catalog = memory_catalog(files);
    if (catalog_read(&catalog, arena, &err) < 0)
        memory_check_refusal(&err);
    else
        must(catalog.name && catalog.origin.version);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    struct span text = span_of((const char *)bytes, size);
    read_template(&arena, text);
    read_layer(&arena, text);
    read_image(&arena, text);
    read_catalog(&arena, text);
    return 0;
}

/* Checks all manifests of a catalog, used or not, and its matrix. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "base/budget.h"
#include "catalog/answers.h"
#include "catalog/base_image.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "data/document.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"

#include <string.h>

/* ---------------------------------------------------------------- reading them */

/* The manifest being read, and its destination. */
struct manifest_reading {
    struct lint *lint;
    const char *name;
    struct lint_type *type; /* NULL: a layer */
    bool is_image;
};

/* The catalog's files, some with their text replaced. */
struct mended {
    struct fileset set; /* first: a set is cast back */
    const struct fileset *below;
    struct mended_file {
        size_t index;
        struct span text;
        const char *layer; /* the manifest's layer */
    } * files;
    size_t count;
};

static int read_mended(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct mended *mended = (const struct mended *)set;
    for (size_t i = 0; i < mended->count; i++)
        if (mended->files[i].index == index) {
            *out = mended->files[i].text;
            return 0;
        }
    return mended->below->read(out, mended->below, index, err);
}

static int load(void *context, struct arena *arena, const struct fileset *files, struct err *err)
{
    const struct manifest_reading *reading = context;
    struct catalog catalog = *reading->lint->catalog;
    struct lint_type *type = reading->type;
    struct manifest *manifest;
    struct base_image *image;
    struct layer layer;
    catalog.files = files;
    if (!type)
        return layer_load(&layer, arena, files, reading->name, err);
    if (!reading->is_image) {
        if (manifest_load(&manifest, arena, &catalog, reading->name, err) < 0)
            return -1;
        type->manifest = manifest;
        return 0;
    }
    if (base_image_load(&image, arena, &catalog, reading->name, err) < 0)
        return -1;
    type->image = image;
    type->manifest = &image->files;
    return 0;
}

static int read_type(struct lint *lint, const struct mended *mended, const char *path,
                     struct lint_type *type, bool is_image)
{
    struct manifest_reading reading = {lint, type->name, type, is_image};
    const struct rereading rereading = {path, load, &reading, lint->findings, NULL};
    bool loaded;
    if (reread(&loaded, &type->damaged, lint->arena, &mended->set, &rereading, lint->err) < 0)
        return -1;
    type->manifest = loaded ? type->manifest : NULL;
    return 0;
}

/* ---------------------------------------------------------------- layers */

/* Reports a layer's mistakes once; they hide no mistake of the types that take it. */
static int read_layer(struct lint *lint, struct mended *mended, const char *name)
{
    const char *path = arena_printf(lint->arena, "templates/_layers/%s/layer.yml", name);
    struct manifest_reading reading = {.lint = lint, .name = name};
    struct span text = span_of("", 0);
    const struct rereading rereading = {path, load, &reading, lint->findings, &text};
    bool loaded, damaged;
    if (reread(&loaded, &damaged, lint->arena, lint->files, &rereading, lint->err) < 0)
        return -1;
    if (!damaged)
        return 0;
    arena_push(lint->arena, mended->files, mended->count) =
        (struct mended_file){(size_t)fileset_find(lint->files, path),
                             loaded ? text : span_from("description: it cannot be read\n"), name};
    return 0;
}

static int lint_layers(struct lint *lint, struct mended *mended)
{
    const char **names;
    size_t count = layer_names(&names, lint->arena, lint->files);
    mended->set.read = read_mended;
    for (size_t i = 0; i < count; i++)
        if (read_layer(lint, mended, names[i]) < 0)
            return -1;
    return 0;
}

static bool takes_mended(const struct lint *lint, const struct mended *mended,
                         const struct manifest *manifest)
{
    const char **names;
    for (size_t i = 0; mended->count && i < manifest->layer_count; i++) {
        size_t count = layer_candidates(&names, lint->arena, lint->files, &manifest->layers[i]);
        for (size_t j = 0; j < mended->count; j++)
            if (str_is_among(mended->files[j].layer, names, count))
                return true;
    }
    return false;
}

/* ---------------------------------------------------------------- types */

static struct lint_type *add_type(struct lint *lint, const char *name)
{
    struct lint_type *type = &arena_push(lint->arena, lint->types, lint->type_count);
    *type = (struct lint_type){.name = name, .read = data_map(lint->arena)};
    return type;
}

/* Reports the first of each kind: the second follows once it is corrected. */
static int check_migrations(struct lint *lint, const struct manifest *manifest)
{
    ERR_SCRATCH(wrong);
    ERR_SCRATCH(names);
    if (migrations_check(lint->arena, manifest, &wrong) < 0)
        return lint_keep(lint, RULE_MIGRATION, &wrong);
    if (migrations_check_names(lint->arena, manifest, &names) < 0)
        return lint_keep(lint, RULE_MIGRATION, &names);
    return 0;
}

static bool is_plain(const struct yaml_node *node)
{
    bool plain = true;
    if (node && node->kind == YAML_SCALAR)
        return !strchr(node->text.ptr, '{');
    for (size_t i = 0; node && node->kind == YAML_LIST && i < node->list.count; i++)
        plain &= is_plain(choice_value(node->list.items[i]));
    return plain;
}

/* Checks a default that is not rendered from others as if nobody gave an answer. */
static int check_default(struct lint *lint, const struct question *question)
{
    ERR_SCRATCH(wrong);
    struct question alone = *question;
    struct manifest manifest = {.type = "", .questions = &alone, .question_count = 1};
    struct given_list none = {0};
    struct answers answers;
    if (!question->fallback || !is_plain(question->fallback) || !is_plain(question->choices))
        return 0;
    alone.when.text = NULL;
    alone.bringer_count = 0;
    (void)intern_add(&manifest.question_names, lint->arena, span_from(alone.name));
    if (answers_collect(&answers, lint->arena, &manifest, &none, data_map(lint->arena), "", NULL,
                        &wrong) == 0)
        return 0;
    if (budget_steps(budget_steps_of(question->node->offset), lint->err) <
        0) /* its line was found */
        return -1;
    if (!wrong.where.file)
        (void)yaml_at(&wrong, question->fallback);
    return lint_keep(lint, RULE_MANIFEST, &wrong);
}

static int lint_type(struct lint *lint, const struct mended *mended, const char *name)
{
    const char *path = arena_printf(lint->arena, "templates/%s/template.yml", name);
    struct lint_type *type = add_type(lint, name);
    if (fileset_find(lint->files, path) < 0) {
        ERR_SCRATCH(wrong);
        (void)err_set(&wrong, TG_USAGE, "missing-file", "'%s' is missing", path);
        (void)err_hint(&wrong, "a folder of templates/ is a type, unless its name begins with '_'");
        return lint_keep(lint, RULE_MANIFEST, &wrong);
    }
    if (read_type(lint, mended, path, type, false) < 0)
        return -1;
    type->layers_damaged = type->manifest && takes_mended(lint, mended, type->manifest);
    for (size_t i = 0; type->manifest && i < type->manifest->question_count; i++)
        if (check_default(lint, &type->manifest->questions[i]) < 0)
            return -1;
    return type->manifest ? check_migrations(lint, type->manifest) : 0;
}

static int unknown_type(struct lint *lint, const char *name, const char *const *types, size_t count)
{
    const char *near = str_nearest(name, types, count);
    (void)err_set(lint->err, TG_USAGE, "unknown-type", "the catalog '%s' has no type '%s'",
                  lint->catalog->name, name);
    return err_hint(lint->err, "%s%s%sthere is: %s", near ? "did you mean '" : "", near ? near : "",
                    near ? "'? " : "", str_join(lint->arena, types, count, ", "));
}

static int lint_types(struct lint *lint, const struct mended *mended)
{
    const char **types;
    size_t count = catalog_types(&types, lint->arena, lint->files);
    struct words chosen = lint->chosen;
    for (size_t i = 0; i < chosen.count; i++)
        if (!str_is_among(chosen.items[i], types, count))
            return unknown_type(lint, chosen.items[i], types, count);
    if (lint->whole)
        chosen = (struct words){types, count};
    for (size_t i = 0; i < chosen.count; i++)
        if (lint_type(lint, mended, chosen.items[i]) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- images, the matrix */

static int lint_images(struct lint *lint, const struct mended *mended)
{
    const char **names;
    size_t count = lint->whole ? base_image_names(&names, lint->arena, lint->files) : 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = arena_printf(lint->arena, "base-images/%s/image.yml", names[i]);
        if (read_type(lint, mended, path, add_type(lint, names[i]), true) < 0)
            return -1;
    }
    return 0;
}

static void keep_matrix(void *context, const struct err *wrong)
{
    struct lint *lint = context;
    findings_add(lint->findings, RULE_MATRIX, wrong);
}

static bool needs_matrix(const struct lint *lint)
{
    size_t first = fileset_lower_bound(lint->files, "matrices/");
    if (first < lint->files->count && str_starts(lint->files->entries[first].path, "matrices/"))
        return true;
    for (size_t i = 0; i < lint->type_count; i++)
        if (lint->types[i].manifest && (lint->types[i].image || lint->types[i].manifest->has_stack))
            return true;
    return false;
}

/* Reading its rows takes a hundred times the memory of the findings: frees them after the check. */
static int lint_matrix(struct lint *lint)
{
    ARENA_SCRATCH(rows);
    ERR_SCRATCH(wrong);
    struct matrix *matrix;
    if (!lint->whole || !needs_matrix(lint))
        return 0;
    if (matrix_load_placed(&matrix, &rows, lint->files, span_of("", 0), NULL, &wrong) < 0)
        return lint_keep(lint, RULE_MATRIX, &wrong);
    (void)matrix_check(&rows, matrix, span_of("", 0), keep_matrix, lint);
    return budget_steps(0, lint->err);
}

/* ---------------------------------------------------------------- their parts */

static void keep_part(void *context, const struct err *wrong)
{
    struct lint *lint = context;
    if (!strstr(wrong->where.file ? wrong->where.file : "", "/layer.yml")) /* told of already */
        findings_add(lint->findings, RULE_MANIFEST, wrong);
}

/* Questions that were left out count as known: each mistake is reported once. */
static void know_questions(const struct lint *lint, struct lint_type *type)
{
    ERR_SCRATCH(ignored);
    struct yaml_doc *doc;
    const char *path = arena_printf(lint->arena, "templates/%s/template.yml", type->name);
    struct data *some = data_bool(lint->arena, true);
    for (size_t i = 0; i < type->manifest->question_count; i++)
        data_put(lint->arena, type->known, type->manifest->questions[i].name, some);
    if (!type->damaged || fileset_document(&doc, lint->arena, lint->files, path, &ignored) < 0)
        return;
    const struct yaml_node *list = yaml_get(doc->root, "questions");
    for (size_t i = 0; list && list->kind == YAML_LIST && i < list->list.count; i++) {
        const struct yaml_node *entry = list->list.items[i];
        const struct yaml_node *name = entry->kind == YAML_MAP ? yaml_get(entry, "name") : NULL;
        if (name && name->kind == YAML_SCALAR)
            data_put(lint->arena, type->known, name->text.ptr, some);
    }
}

static void know_names(const struct lint *lint, struct lint_type *type)
{
    static const char *const of_images[] = {"image",   "request", "resolution",
                                            "catalog", "version", "packages"};
    struct arena *arena = lint->arena;
    struct data *some = data_bool(arena, true);
    type->known = data_map(arena);
    for (size_t i = 0; type->image && i < sizeof(of_images) / sizeof(*of_images); i++)
        data_put(arena, type->known, of_images[i], some);
    if (type->image)
        return;
    data_add(arena, type->known, FIELD("template", type->manifest->kind),
             FIELD("request", type->manifest->has_stack ? some : data_null(arena)),
             FIELD("resolution", type->manifest->has_stack ? some : data_null(arena)));
    know_questions(lint, type);
}

int lint_manifests(struct lint *lint)
{
    struct mended mended = {.set = *lint->files, .below = lint->files};
    if (lint_layers(lint, &mended) < 0 || lint_types(lint, &mended) < 0 ||
        lint_images(lint, &mended) < 0 || lint_matrix(lint) < 0)
        return -1;
    for (size_t i = 0; i < lint->type_count; i++) {
        struct lint_type *type = &lint->types[i];
        if (!type->manifest)
            continue;
        know_names(lint, type);
        if (type_files_gather(&type->parts, lint->arena, lint->files, type->manifest, keep_part,
                              lint, lint->err) < 0)
            return -1;
    }
    return 0;
}

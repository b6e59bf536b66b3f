/* Semantic checks of a manifest: migrations that can be applied, questions that have an effect. */
#include "catalog/manifest.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/manifest_text.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "io/path.h"
#include "matrix/version.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- applicable migrations */

static int check_from(struct arena *arena, const struct migration *migration, struct err *err)
{
    const struct yaml_node *node = yaml_get(migration->node, "from");
    struct spec spec;
    ERR_SCRATCH(inner);
    if (spec_parse(&spec, arena, migration->from, "from", &inner) == 0 && spec.count)
        return 0;
    return yaml_error(err, node, "'from' must be a SPEC such as \"<2\", not '%s'", migration->from);
}

static int check_path(const char *path, const struct yaml_node *node, struct err *err)
{
    ERR_SCRATCH(inner);
    return path_check(path, &inner) < 0 ? yaml_error(err, node, "%s", inner.message) : 0;
}

static int check_paths(const struct migration *migration, struct err *err)
{
    const struct yaml_node *map = yaml_get(migration->node, "rename_files");
    for (size_t i = 0; i < migration->rename_files.count; i++)
        if (check_path(migration->rename_files.old[i], map->map.members[i].key, err) < 0 ||
            check_path(migration->rename_files.new[i], map->map.members[i].value, err) < 0)
            return -1;
    return 0;
}

int migrations_check(struct arena *arena, const struct manifest *manifest, struct err *err)
{
    for (size_t i = 0; i < manifest->migration_count; i++)
        if (check_from(arena, &manifest->migrations[i], err) < 0 ||
            check_paths(&manifest->migrations[i], err) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- names of answers */

/* A name that an answer may have before the migration number `before`. */
struct known_name {
    const char *name;
    size_t before; /* SIZE_MAX: also at the end */
};

struct known_names {
    struct known_name *items;
    size_t count;
};

/* Sorts by name; equal names by descending `before`. */
static int compare_known(const void *a, const void *b)
{
    const struct known_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->before < y->before) - (x->before > y->before);
}

static void add_known(struct known_names *known, const char *const *names, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        known->items[known->count++] = (struct known_name){names[i], at};
}

static struct known_names list_known(struct arena *arena, const struct manifest *manifest)
{
    size_t count = manifest->question_count, kept = 0;
    for (size_t i = 0; i < manifest->migration_count; i++)
        count += manifest->migrations[i].rename_answers.count +
                 manifest->migrations[i].drop_answers.count;
    struct known_names known = {arena_array(arena, count + 1, sizeof(*known.items)), 0};
    for (size_t i = 0; i < manifest->question_count; i++)
        add_known(&known, &manifest->questions[i].name, 1, SIZE_MAX);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *migration = &manifest->migrations[i];
        add_known(&known, migration->rename_answers.old, migration->rename_answers.count, i);
        add_known(&known, migration->drop_answers.items, migration->drop_answers.count, i);
    }
    qsort(known.items, known.count, sizeof(*known.items), compare_known);
    for (size_t i = 0; i < known.count; i++)
        if (i == 0 || strcmp(known.items[i].name, known.items[kept - 1].name) != 0)
            known.items[kept++] = known.items[i];
    known.count = kept;
    return known;
}

static int compare_name(const void *name, const void *known)
{
    return strcmp(name, ((const struct known_name *)known)->name);
}

static bool is_known_after(const struct known_names *known, const char *name, size_t migration)
{
    const struct known_name *found =
        bsearch(name, known->items, known->count, sizeof(*known->items), compare_name);
    return found && found->before > migration;
}

static int check_answers(const struct known_names *known, const struct manifest *manifest,
                         size_t number, struct err *err)
{
    const struct migration *migration = &manifest->migrations[number];
    const struct yaml_node *map = yaml_get(migration->node, "rename_answers");
    for (size_t i = 0; i < migration->rename_answers.count; i++) {
        const char *name = migration->rename_answers.new[i];
        if (!is_known_after(known, name, number))
            return yaml_error(err, map->map.members[i].value,
                              "there is no question '%s', and no later migration renames or drops "
                              "the answer",
                              name);
    }
    return 0;
}

/* ---------------------------------------------------------------- distinct new names */

struct renamed {
    const char *new;
    size_t at;
};

static int compare_renamed(const void *a, const void *b)
{
    const struct renamed *x = a, *y = b;
    int order = strcmp(x->new, y->new);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Checks that the `count` names of `map` get new names, all of them different. */
static int check_one_each(struct arena *arena, const struct yaml_node *map, const char *const *old,
                          const char *const *new, size_t count, struct err *err)
{
    struct renamed *sorted = arena_array(arena, count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct renamed){new[i], i};
        if (strcmp(old[i], new[i]) == 0)
            return yaml_error(err, map->map.members[i].value, "'%s' is renamed to itself", old[i]);
    }
    qsort(sorted, count, sizeof(*sorted), compare_renamed);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1].new, sorted[i].new) == 0)
            return yaml_error(err, map->map.members[sorted[i].at].value,
                              "'%s' and '%s' are both renamed to '%s'", old[sorted[i - 1].at],
                              old[sorted[i].at], new[sorted[i].at]);
    return 0;
}

int migrations_check_names(struct arena *arena, const struct manifest *manifest, struct err *err)
{
    struct known_names known = list_known(arena, manifest);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *m = &manifest->migrations[i];
        if (check_one_each(arena, yaml_get(m->node, "rename_answers"), m->rename_answers.old,
                           m->rename_answers.new, m->rename_answers.count, err) < 0 ||
            check_one_each(arena, yaml_get(m->node, "rename_files"), m->rename_files.old,
                           m->rename_files.new, m->rename_files.count, err) < 0 ||
            check_answers(&known, manifest, i, err) < 0)
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- questions in use */

struct name_collector {
    struct arena *arena;
    const struct fileset *files;
    struct data *names; /* names that are read anywhere */
    struct template_loader loader;
    struct intern *uses, *layers; /* seen so far: keys of rows of `layers`, and layers */
    struct err *err;
};

static int add_text(const struct name_collector *c, const struct manifest_text *text,
                    bool expression)
{
    if (!text->text || !text->node)
        return 0;
    ERR_SCRATCH(inner);
    struct template_source source = manifest_text_source(text);
    if (template_names(c->names, c->arena, &source, expression, NULL, &inner) < 0)
        return yaml_blame(c->err, text->node, &inner);
    return 0;
}

/* A text, or texts in lists and mappings. */
static int add_node(const struct name_collector *c, const struct yaml_node *node)
{
    if (!node)
        return 0;
    if (node->kind == YAML_SCALAR)
        return add_text(c, &(struct manifest_text){.text = node->text.ptr, .node = node}, false);
    for (size_t i = 0; node->kind == YAML_MAP && i < node->map.count; i++)
        if (add_node(c, node->map.members[i].value) < 0)
            return -1;
    for (size_t i = 0; node->kind == YAML_LIST && i < node->list.count; i++)
        if (add_node(c, node->list.items[i]) < 0)
            return -1;
    return 0;
}

static int add_question(const struct name_collector *c, const struct question *question)
{
    if (add_text(c, &question->when, true) < 0 || add_text(c, &question->help, false) < 0 ||
        add_text(c, &question->computed, false) < 0 || add_node(c, question->fallback) < 0)
        return -1;
    return add_node(c, question->choices);
}

static int add_rules(const struct name_collector *c, const struct file_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (add_text(c, &rules[i].when, true) < 0)
            return -1;
    return 0;
}

static int add_file(const struct name_collector *c, const struct layer *layer, size_t index)
{
    const char *path = c->files->entries[index].path, *below = path + strlen(layer->folder);
    struct template_source source = {
        .name = path, .text = span_from(below), .delimiters = layer_delimiters(layer, below)};
    if (template_names(c->names, c->arena, &source, false, NULL, c->err) < 0)
        return err_wrap(c->err, "in the name of this file");
    if (!str_ends(path, ".j2"))
        return 0;
    if (c->files->read(&source.text, c->files, index, c->err) < 0)
        return -1;
    return template_names(c->names, c->arena, &source, false, &c->loader, c->err);
}

static int add_layer(const struct name_collector *c, const struct layer *layer)
{
    for (size_t i = fileset_lower_bound(c->files, layer->folder);
         i < c->files->count && str_starts(c->files->entries[i].path, layer->folder); i++)
        if (add_file(c, layer, i) < 0)
            return -1;
    return add_rules(c, layer->rules, layer->rule_count);
}

/* A row with a template as its name may mean any layer that starts with its fixed beginning. */
static int add_layer_use(const struct name_collector *c, const struct layer_use *use)
{
    const char **names;
    size_t uses = c->uses->count, count;
    if (add_text(c, &use->name, false) < 0 || add_text(c, &use->when, true) < 0)
        return -1;
    if (intern_add(c->uses, c->arena, layer_key(use)) < uses)
        return 0;
    count = layer_candidates(&names, c->arena, c->files, use);
    for (size_t i = 0; i < count; i++) {
        struct layer layer;
        size_t layers = c->layers->count;
        if (intern_add(c->layers, c->arena, span_from(names[i])) < layers)
            continue;
        if (layer_load(&layer, c->arena, c->files, names[i], c->err) < 0 ||
            add_layer(c, &layer) < 0)
            return -1;
    }
    return 0;
}

int manifest_check_use(struct arena *arena, const struct catalog *catalog,
                       const struct manifest *manifest, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct intern uses = {0}, layers = {0};
    struct name_collector c = {.arena = arena,
                               .files = catalog->files,
                               .names = data_map(arena),
                               .uses = &uses,
                               .layers = &layers,
                               .err = err};
    struct include_source includes = {.arena = arena, .files = catalog->files};
    struct template_cache included = {.arena = arena};
    c.loader =
        (struct template_loader){.load = load_include, .context = &includes, .cache = &included};
    for (size_t i = 0; i < manifest->layer_count; i++)
        if (add_layer_use(&c, &manifest->layers[i]) < 0)
            return -1;
    for (size_t i = 0; i < manifest->inherited_count; i++)
        if (add_layer(&c, &manifest->inherited[i]) < 0)
            return -1;
    if (add_layer(&c, &manifest->own) < 0)
        return -1;
    for (size_t i = 0; i < manifest->question_count; i++)
        if (add_question(&c, &manifest->questions[i]) < 0)
            return -1;
    for (size_t i = 0; i < manifest->next_count; i++)
        if (add_text(&c, &manifest->next[i], false) < 0)
            return -1;
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        if (strcmp(question->name, "name") == 0 || data_get(c.names, question->name))
            continue;
        (void)yaml_error(err, question->node, "no template reads the answer to '%s'",
                         question->name);
        err->code = UNUSED_QUESTION;
        return err_hint(err, "use it in a template, or remove the question");
    }
    return 0;
}

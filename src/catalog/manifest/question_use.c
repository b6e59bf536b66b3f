/* Does every question of a template make a difference? */
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

#include <string.h>

struct name_collector {
    struct arena *arena;
    const struct fileset *files;
    struct data *names; /* what is read somewhere */
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

/* A layer whose name is rendered may be any layer that begins with the name's plain part. */
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

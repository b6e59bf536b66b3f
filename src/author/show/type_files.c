/* The parts of a type, or of a base image: the layers that it may take, and all their files. */
#include "author/show/type_files.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/document.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

#define TEMPLATE_ENDING ".j2"

struct part_gatherer {
    struct type_files *out;
    struct arena *arena;
    const struct fileset *files;
    const char **names; /* of all layers */
    size_t name_count;
    void (*broken)(void *context, const struct err *err);
    void *context;
    struct err *err;
};

/* ---------------------------------------------------------------- paths as globs */

/* The text with '*' for each {{ }}, {% %} and {# #} (or those with square brackets). */
static const char *pattern_of(struct arena *arena, const char *text, enum template_delimiters kind)
{
    static const char opens[] = "{[", *const ends[] = {"}}%}#}", "]]%]#]"};
    const char open = opens[kind == DELIMITERS_SQUARE];
    const char *end = ends[kind == DELIMITERS_SQUARE];
    BUF_SCRATCH(out, LIMIT_KIB);
    while (*text) {
        const char second = *text == open ? text[1] : '\0';
        size_t at = second == open ? 0 : second == '%' ? 2 : second == '#' ? 4 : 6;
        char closing[3] = {0};
        if (at < 6)
            memcpy(closing, end + at, 2);
        const char *close = at < 6 ? strstr(text + 2, closing) : NULL;
        (void)buf_putc(&out, close ? '*' : *text);
        text = close ? close + 2 : text + 1;
    }
    return arena_strdup(arena, buf_text(&out));
}

/* The pattern with a possible name for each rendered part. */
static const char *example_of(struct arena *arena, const char *pattern)
{
    char *example = arena_strdup(arena, pattern);
    for (char *star = example; (star = strchr(star, '*'));)
        *star = 'x';
    return example;
}

static bool is_fixed(const struct type_file *file)
{
    return file->example == file->pattern;
}

bool type_files_may_match(const char *glob, const struct type_file *file)
{
    return budget_glob(glob, file->example) ||
           (!is_fixed(file) && budget_glob(file->pattern, glob));
}

bool type_files_may_meet(const struct type_file *a, const struct type_file *b)
{
    return strcmp(a->path, b->path) == 0 || (!is_fixed(a) && budget_glob(a->pattern, b->example)) ||
           (!is_fixed(b) && budget_glob(b->pattern, a->example));
}

bool type_files_overrides(const struct type_file *file)
{
    const struct layer *layer = &file->layer->layer;
    for (size_t i = 0; i < layer->overrides.count; i++)
        if (type_files_may_match(layer->overrides.items[i], file))
            return true;
    return false;
}

/* ---------------------------------------------------------------- layers and files */

static int add_file(const struct part_gatherer *g, const struct type_layer *layer, size_t index,
                    const char *below)
{
    struct type_files *parts = g->out;
    const struct fileset_entry *entry = &g->files->entries[index];
    bool is_template = str_ends(below, TEMPLATE_ENDING);
    size_t len = strlen(below) - (is_template ? strlen(TEMPLATE_ENDING) : 0);
    const char *path = arena_memdup(g->arena, below, len);
    const char *pattern = pattern_of(g->arena, path, layer_delimiters(&layer->layer, below));
    if (parts->file_count == LIMIT_TREE_ENTRIES)
        return err_set(g->err, TG_USAGE, "limit", "the layers of '%s' have more than %zu files",
                       parts->manifest->type, LIMIT_TREE_ENTRIES);
    arena_push(g->arena, parts->files, parts->file_count) = (struct type_file){
        .layer = layer,
        .source = entry->path,
        .index = index,
        .path = path,
        .pattern = pattern,
        .example = strchr(pattern, '*') ? example_of(g->arena, pattern) : pattern,
        .executable = entry->executable,
        .is_template = is_template};
    return budget_steps(1, g->err);
}

static int add_files(const struct part_gatherer *g, const struct type_layer *layer)
{
    const char *folder = layer->layer.folder;
    for (size_t i = fileset_lower_bound(g->files, folder);
         i < g->files->count && str_starts(g->files->entries[i].path, folder); i++)
        if (add_file(g, layer, i, g->files->entries[i].path + strlen(folder)) < 0)
            return -1;
    return 0;
}

static int no_layer(const struct part_gatherer *g, const struct layer_use *use)
{
    ERR_SCRATCH(inner);
    struct err *err = g->broken ? &inner : g->err;
    const char *near = str_nearest(use->name.text, g->names, g->name_count);
    (void)yaml_error(err, use->name.node, "the catalog has no layer '%s'", use->name.text);
    if (near)
        (void)err_hint(err, "did you mean '%s'?", near);
    if (!g->broken)
        return -1;
    g->broken(g->context, err);
    return 0;
}

static int add_layer(const struct part_gatherer *g, const struct layer_use *use, size_t order,
                     const char *name)
{
    ERR_SCRATCH(inner);
    struct type_layer *layer = &g->out->layers[g->out->layer_count];
    struct err *err = g->broken ? &inner : g->err;
    if (g->out->layer_count == LIMIT_LAYERS)
        return err_set(g->err, TG_USAGE, "limit", "'%s' may take more than %zu layers",
                       g->out->manifest->type, LIMIT_LAYERS);
    layer->broken = layer_load(&layer->layer, g->arena, g->files, name, err) < 0;
    if (layer->broken && (!g->broken || budget_steps(0, g->err) < 0))
        return -1;
    if (layer->broken)
        g->broken(g->context, err);
    layer->layer.overrides = use->overrides;
    layer->use = use;
    layer->order = order;
    g->out->layer_count++;
    return 0;
}

/* True where the use's name renders to `name` with one of the type's frameworks. */
static bool is_of_framework(const struct part_gatherer *g, const struct layer_use *use,
                            const char *name)
{
    const struct manifest *manifest = g->out->manifest;
    bool rendered = !manifest->frameworks.count || !strchr(use->name.text, '{');
    for (size_t i = 0; i < manifest->frameworks.count; i++) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(ignored);
        BUF_SCRATCH(out, LIMIT_PATH_BYTES);
        struct data *framework = data_of(&arena, FIELD("name", manifest->frameworks.items[i]));
        struct data *resolution = data_of(&arena, FIELD("framework", framework));
        struct data *context = data_of(&arena, FIELD("resolution", resolution));
        struct template_source source = {.name = "name", .text = span_from(use->name.text)};
        if (template_render(&out, &source, context, NULL, &ignored) < 0)
            return true; /* it depends on other answers, too */
        rendered |= str_equal(buf_text(&out), name);
    }
    return rendered;
}

/* A layer use with a rendered name may mean any layer that the plain parts of the name allow. */
static int add_use(const struct part_gatherer *g, const struct layer_use *use, size_t order)
{
    const char *pattern = pattern_of(g->arena, use->name.text, DELIMITERS_JINJA);
    bool found = false;
    for (size_t i = 0; i < g->name_count; i++) {
        if (!budget_glob(pattern, g->names[i]) || !is_of_framework(g, use, g->names[i]))
            continue;
        found = true;
        g->out->layers =
            arena_grow(g->arena, g->out->layers, g->out->layer_count, sizeof(*g->out->layers));
        if (add_layer(g, use, order, g->names[i]) < 0)
            return -1;
    }
    return found ? 0 : no_layer(g, use);
}

static void add_own_layer(const struct part_gatherer *g, const struct layer *layer, size_t above)
{
    struct type_files *parts = g->out;
    arena_push(g->arena, parts->layers, parts->layer_count) =
        (struct type_layer){.layer = *layer, .order = parts->manifest->layer_count + above};
}

int type_files_gather(struct type_files *out, struct arena *arena, const struct fileset *files,
                      const struct manifest *manifest,
                      void (*broken)(void *context, const struct err *err), void *context,
                      struct err *err)
{
    *out = (struct type_files){.manifest = manifest};
    struct part_gatherer g = {.out = out,
                              .arena = arena,
                              .files = files,
                              .broken = broken,
                              .context = context,
                              .err = err};
    g.name_count = layer_names(&g.names, arena, files);
    for (size_t i = 0; i < manifest->layer_count; i++)
        if (add_use(&g, &manifest->layers[i], i) < 0)
            return -1;
    for (size_t i = 0; i < manifest->inherited_count; i++)
        add_own_layer(&g, &manifest->inherited[i], i);
    add_own_layer(&g, &manifest->own, manifest->inherited_count);
    for (size_t i = 0; i < out->layer_count; i++)
        if (add_files(&g, &out->layers[i]) < 0)
            return -1;
    long beside = manifest->beside ? fileset_find(files, manifest->beside) : -1;
    if (beside >= 0)
        return add_file(&g, &out->layers[out->layer_count - 1], (size_t)beside,
                        strrchr(manifest->beside, '/') + 1);
    return budget_steps(0, err);
}

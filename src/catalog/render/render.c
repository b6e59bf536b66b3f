/* Rendering: catalog revision + answers + resolution -> a list of files and a git tree id. Pure. */
#include "catalog/render.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "catalog/catalog.h"
#include "catalog/manifest_text.h"
#include "data/document.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "git/libgit2.h"
#include "git/repo.h"
#include "git/tree.h"
#include "io/path.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

#define TEMPLATE_ENDING ".j2"
#define ATTRIBUTES_PATH ".gitattributes"
#define ATTRIBUTES_LINE "/" RECORD_PATH " -merge\n"

/* A file of a layer before it becomes an entry, with its layer's position. */
struct layer_file {
    struct render_entry entry;
    const struct layer *layer;
    size_t order;
};

struct renderer {
    struct arena *arena;
    const struct manifest *manifest;
    const struct fileset *files;
    const struct render *alike;
    struct data *context;
    struct include_source includes;
    struct template_loader loader;
    struct template_cache included; /* by all files of the project */
    struct layer *layers;           /* that apply, in order; the type's own last */
    size_t layer_count, rule_count;
    struct intern layer_names;
    struct layer *layers_read; /* by the number of their name */
    struct words absent;       /* paths that the current layer leaves out */
    struct layer_file *pieces;
    size_t count;
    struct err *err;
};

struct data *render_context(struct arena *arena, const struct render_input *input)
{
    struct data *context = data_map(arena);
    const struct data *answers = input->answers;
    for (size_t i = 0; answers && i < answers->map.count; i++)
        data_put_span(arena, context, answers->map.members[i].name, answers->map.members[i].value);
    struct data *none = data_null(arena);
    return data_add(
        arena, context, FIELD("template", input->manifest->kind),
        FIELD("request", input->request ? data_copy(arena, input->request) : none),
        FIELD("resolution", input->resolution ? data_copy(arena, input->resolution) : none));
}

static int unknown_layer(const struct renderer *r, const struct yaml_node *node, const char *name)
{
    const char **names;
    size_t count = layer_names(&names, r->arena, r->files);
    const char *nearest = str_nearest(name, names, count);
    (void)yaml_error(r->err, node, "the catalog has no layer '%s'", name);
    return nearest ? err_hint(r->err, "did you mean '%s'?", nearest) : -1;
}

/* Reads each layer only once, however often it is used. */
static int read_layer(struct layer *out, struct renderer *r, const char *name)
{
    size_t count = r->layer_names.count;
    size_t number = intern_add(&r->layer_names, r->arena, span_from(name));
    if (number == count) {
        r->layers_read = arena_grow(r->arena, r->layers_read, count, sizeof(*r->layers_read));
        if (layer_load(&r->layers_read[number], r->arena, r->files, name, r->err) < 0)
            return -1;
    }
    *out = r->layers_read[number];
    return 0;
}

/* Adds a layer. Limits the rows of all layers together, since each is matched with each file. */
static int append_layer(struct renderer *r, const struct layer_use *use, const char *name)
{
    struct layer *layer = &r->layers[r->layer_count];
    if (read_layer(layer, r, name) < 0)
        return -1;
    layer->overrides = use->overrides;
    r->layer_count++;
    r->rule_count += layer->rule_count;
    return r->rule_count <= LIMIT_GLOBS
               ? 0
               : yaml_over_limit(r->err, use->name.node, r->rule_count,
                                 "rows of 'files' in the layers so far", LIMIT_GLOBS);
}

static int add_layer(struct renderer *r, const struct layer_use *use)
{
    BUF_SCRATCH(name, LIMIT_PATH_BYTES);
    ERR_SCRATCH(inner);
    bool applies;
    struct template_source source = manifest_text_source(&use->name);
    if (manifest_text_holds(&applies, &use->when, r->context, r->err) < 0)
        return -1;
    if (!applies)
        return 0;
    if (template_render(&name, &source, r->context, NULL, &inner) < 0)
        return yaml_blame(r->err, use->name.node, &inner);
    if (fileset_find(r->files,
                     arena_printf(r->arena, "templates/_layers/%s/layer.yml", buf_text(&name))) < 0)
        return unknown_layer(r, use->name.node, buf_text(&name));
    return append_layer(r, use, arena_strdup(r->arena, buf_text(&name)));
}

/* Renders each part of a path; a part that becomes empty leaves the file out. */
static int render_path(const char **out, const struct renderer *r, const char *below,
                       const char *source, enum template_delimiters delimiters)
{
    BUF_SCRATCH(path, LIMIT_PATH_BYTES);
    const char *part = below;
    *out = NULL;
    for (;;) {
        size_t len = strcspn(part, "/"), start = path.len;
        struct template_source text = {
            .name = source, .text = span_of(part, len), .delimiters = delimiters};
        bool plain = !memchr(part, '{', len) && !memchr(part, '[', len); /* most are */
        if ((plain ? buf_append(&path, part, len)
                   : template_render(&path, &text, r->context, NULL, r->err)) < 0)
            return path.overflowed ? err_set(r->err, TG_USAGE, "limit",
                                             "the path of '%s' is longer than %zu bytes", source,
                                             LIMIT_PATH_BYTES)
                                   : err_wrap(r->err, "in the name of this file");
        if (path.len == start)
            return 0;
        if (memchr(path.ptr + start, '/', path.len - start))
            return err_set(r->err, TG_REFUSED, "unsafe-path",
                           "a part of the name '%s' renders to '%s', which holds a '/'", source,
                           path.ptr + start);
        if (part[len] == '\0')
            break;
        (void)buf_putc(&path, '/');
        part += len + 1;
    }
    *out = arena_strdup(r->arena, buf_text(&path));
    return 0;
}

/* The id of the file in the other render, if its bytes are the same; or NULL. */
static const unsigned char *id_of_alike(const struct renderer *r, const struct render_entry *entry)
{
    long at = r->alike ? render_find(r->alike, entry->path) : -1;
    return at >= 0 && span_equal(r->alike->entries[at].bytes, entry->bytes)
               ? r->alike->entries[at].id
               : NULL;
}

/* Sets an entry's content; `copied` is the source of a verbatim copy, or NULL. */
static int take_bytes(struct render_entry *entry, const struct renderer *r, struct span bytes,
                      const struct fileset_entry *copied)
{
    entry->bytes = bytes;
    entry->deflated = copied ? copied->deflated : span_of(NULL, 0);
    const unsigned char *id = copied && copied->id ? copied->id : id_of_alike(r, entry);
    if (!id)
        return git_hash_blob(entry->id, bytes, r->err);
    memcpy(entry->id, id, sizeof(entry->id));
    return 0;
}

static int count_bytes(size_t bytes, const char *source, struct err *err)
{
    return budget_rendered(bytes, err) < 0 ? err_wrap(err, "'%s'", source) : 0;
}

static int render_bytes(struct render_entry *entry, struct renderer *r, size_t index,
                        enum template_delimiters delimiters, bool is_template)
{
    struct span text;
    const struct fileset_entry *file = &r->files->entries[index];
    if (r->files->read(&text, r->files, index, r->err) < 0)
        return -1;
    if (is_template && text.len > LIMIT_TEMPLATE_BYTES)
        return err_set(r->err, TG_USAGE, "limit", "the template '%s' is larger than %zu MiB",
                       file->path, LIMIT_TEMPLATE_BYTES / LIMIT_MIB);
    if (!is_template)
        return count_bytes(text.len, file->path, r->err) < 0 ? -1
                                                             : take_bytes(entry, r, text, file);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    struct template_source source = {.name = file->path, .text = text, .delimiters = delimiters};
    if (template_render(&out, &source, r->context, &r->loader, r->err) < 0)
        return out.overflowed
                   ? err_set(r->err, TG_USAGE, "limit", "'%s' renders to more than %zu MiB",
                             file->path, LIMIT_RENDERED_BYTES / LIMIT_MIB)
                   : -1;
    text = span_of(arena_memdup(r->arena, buf_text(&out), out.len), out.len);
    return count_bytes(text.len, file->path, r->err) < 0 ? -1 : take_bytes(entry, r, text, NULL);
}

/* Collects the globs of the rows whose `when` is false. */
static int list_absent(struct words *out, const struct renderer *r, const struct file_rule *rules,
                       size_t count)
{
    bool there;
    *out = (struct words){arena_array(r->arena, count + 1, sizeof(*out->items)), 0};
    for (size_t i = 0; i < count; i++) {
        if (manifest_text_holds(&there, &rules[i].when, r->context, r->err) < 0)
            return -1;
        if (!there)
            out->items[out->count++] = rules[i].glob;
    }
    return 0;
}

/* One false `when` excludes the path, as one empty part of a path does. */
static bool is_absent(const struct renderer *r, const char *path)
{
    for (size_t i = 0; i < r->absent.count; i++)
        if (budget_glob(r->absent.items[i], path))
            return true;
    return false;
}

static int add_file(struct renderer *r, const struct layer *layer, size_t order, size_t index)
{
    const struct fileset_entry *file = &r->files->entries[index];
    const char *below = file->path + strlen(layer->folder), *path;
    enum template_delimiters delimiters = layer_delimiters(layer, below);
    bool is_template = str_ends(below, TEMPLATE_ENDING);
    const char *name = is_template
                           ? arena_memdup(r->arena, below, strlen(below) - strlen(TEMPLATE_ENDING))
                           : below;
    if (render_path(&path, r, name, file->path, delimiters) < 0)
        return -1;
    bool absent = path && is_absent(r, path);
    if (budget_steps(0, r->err) < 0)
        return err_wrap(r->err, "'%s'", file->path);
    if (!path || absent)
        return 0;
    if (path_check(path, r->err) < 0)
        return err_wrap(r->err, "'%s'", file->path);
    struct layer_file *piece = &arena_push(r->arena, r->pieces, r->count);
    *piece = (struct layer_file){
        .entry = {.path = path, .executable = file->executable, .source = file->path},
        .layer = layer,
        .order = order};
    if (render_bytes(&piece->entry, r, index, delimiters, is_template) < 0)
        return -1;
    if (r->count > LIMIT_TREE_ENTRIES)
        return err_set(r->err, TG_USAGE, "limit", "the template renders more than %zu files",
                       LIMIT_TREE_ENTRIES);
    return 0;
}

static int add_layer_files(struct renderer *r, const struct layer *layer, size_t order)
{
    if (list_absent(&r->absent, r, layer->rules, layer->rule_count) < 0)
        return -1;
    for (size_t i = fileset_lower_bound(r->files, layer->folder);
         i < r->files->count && str_starts(r->files->entries[i].path, layer->folder); i++)
        if (add_file(r, layer, order, i) < 0)
            return -1;
    return 0;
}

static int choose_layers(struct renderer *r)
{
    const struct manifest *manifest = r->manifest;
    r->layers = arena_array(r->arena, manifest->layer_count + manifest->inherited_count + 1,
                            sizeof(*r->layers));
    for (size_t i = 0; i < manifest->layer_count; i++)
        if (add_layer(r, &manifest->layers[i]) < 0)
            return -1;
    for (size_t i = 0; i < manifest->inherited_count; i++)
        r->layers[r->layer_count++] = manifest->inherited[i];
    r->layers[r->layer_count++] = manifest->own;
    return 0;
}

static int by_path_then_order(const void *a, const void *b)
{
    const struct layer_file *left = a, *right = b;
    int order = strcmp(left->entry.path, right->entry.path);
    if (order)
        return order;
    return left->order < right->order ? -1 : left->order > right->order;
}

static bool overrides(const struct layer *layer, const char *path)
{
    for (size_t i = 0; i < layer->overrides.count; i++)
        if (budget_glob(layer->overrides.items[i], path))
            return true;
    return false;
}

/* Of several files with one path the last layer's wins, provided each declares an override. */
static int settle(struct render *out, struct renderer *r)
{
    out->entries = arena_array(r->arena, r->count + 1, sizeof(*out->entries));
    if (r->count)
        qsort(r->pieces, r->count, sizeof(*r->pieces), by_path_then_order);
    for (size_t i = 0; i < r->count; i++) {
        const struct layer_file *piece = &r->pieces[i];
        bool again = i > 0 && strcmp(r->pieces[i - 1].entry.path, piece->entry.path) == 0;
        if (again && (piece->order == r->pieces[i - 1].order ||
                      !overrides(piece->layer, piece->entry.path))) {
            (void)err_set(r->err, TG_USAGE, "path-clash", "'%s' and '%s' both render to '%s'",
                          r->pieces[i - 1].entry.source, piece->entry.source, piece->entry.path);
            return err_hint(r->err, "name the path under 'overrides' of the layer that shall win");
        }
        out->count += !again;
        out->entries[out->count - 1] = piece->entry;
    }
    return 0;
}

/* The last matching row decides. */
static void apply_rules(struct render_entry *entry, const struct file_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (budget_glob(rules[i].glob, entry->path)) {
            if (rules[i].has_policy)
                entry->policy = rules[i].policy;
            if (rules[i].has_merge)
                entry->merge = rules[i].merge;
        }
}

static void choose_policies(struct render *out, const struct renderer *r)
{
    for (size_t i = 0; i < out->count; i++) {
        struct render_entry *entry = &out->entries[i];
        for (size_t j = 0; j < r->layer_count; j++)
            apply_rules(entry, r->layers[j].rules, r->layers[j].rule_count);
    }
}

/* Git must never merge the record as text: adds a line to .gitattributes, creating it if needed. */
static int add_attributes(struct render *out, struct renderer *r)
{
    long index = render_find(out, ATTRIBUTES_PATH);
    if (render_find(out, RECORD_PATH) >= 0 || render_find(out, OVERLAY_PATH) >= 0)
        return err_set(r->err, TG_USAGE, "path-clash",
                       "the template renders '%s', which is tmplgen's own",
                       render_find(out, RECORD_PATH) >= 0 ? RECORD_PATH : OVERLAY_PATH);
    if (index < 0) {
        size_t at =
            str_lower_bound(ATTRIBUTES_PATH, out->entries, out->count, sizeof(*out->entries));
        memmove(&out->entries[at + 1], &out->entries[at],
                (out->count - at) * sizeof(*out->entries));
        out->entries[at] = (struct render_entry){.path = ATTRIBUTES_PATH, .source = ""};
        out->count++;
        return take_bytes(&out->entries[at], r, span_from(ATTRIBUTES_LINE), NULL);
    }
    struct span bytes = out->entries[index].bytes;
    bool ended = bytes.len == 0 || bytes.ptr[bytes.len - 1] == '\n';
    BUF_SCRATCH(text, LIMIT_RENDERED_BYTES + LIMIT_KIB);
    (void)buf_append(&text, bytes.ptr, bytes.len);
    (void)buf_puts(&text, ended ? "" : "\n");
    (void)buf_puts(&text, ATTRIBUTES_LINE);
    bytes = span_of(arena_memdup(r->arena, text.ptr, text.len), text.len);
    return take_bytes(&out->entries[index], r, bytes, NULL);
}

static int check_paths(const struct render *out, const struct renderer *r)
{
    struct path_set *set = path_set_new(r->arena);
    for (size_t i = 0; i < out->count; i++)
        if (path_set_add(set, out->entries[i].path, out->entries[i].source, r->err) < 0)
            return -1;
    return path_set_add(set, RECORD_PATH, "the record", r->err);
}

static int compute_tree(struct render *out, const struct renderer *r)
{
    struct tree_edit *files = arena_array(r->arena, out->count + 1, sizeof(*files));
    struct oid tree;
    for (size_t i = 0; i < out->count; i++) {
        const struct render_entry *entry = &out->entries[i];
        files[i] = (struct tree_edit){
            entry->path, {entry->executable ? LEAF_EXECUTABLE : LEAF_FILE, oid_from(entry->id)}};
    }
    if (git_start(r->err) < 0 || tree_edit(&tree, NULL, NULL, NULL, files, out->count, r->err) < 0)
        return -1;
    oid_hex(out->tree, &tree);
    return 0;
}

/* Adds the one file outside files/. */
static int add_beside(struct renderer *r)
{
    const char *path = r->manifest->beside;
    if (!path)
        return 0;
    struct layer layer = r->manifest->own;
    layer.folder = arena_memdup(r->arena, path, (size_t)(strrchr(path, '/') + 1 - path));
    long index = fileset_find(r->files, path);
    if (index < 0)
        return err_set(r->err, TG_USAGE, "missing-file", "the catalog has no '%s'", path);
    return add_file(r, &layer, r->layer_count, (size_t)index);
}

/* Gathers the files of all layers, one for each path, with their policies. */
static int gather(struct render *out, struct renderer *r)
{
    *out = (struct render){0};
    r->included = (struct template_cache){.arena = r->arena};
    r->loader = (struct template_loader){
        .load = load_include, .context = &r->includes, .cache = &r->included};
    if (choose_layers(r) < 0)
        return -1;
    for (size_t i = 0; i < r->layer_count; i++)
        if (add_layer_files(r, &r->layers[i], i) < 0)
            return -1;
    if (add_beside(r) < 0 || settle(out, r) < 0)
        return -1;
    choose_policies(out, r);
    size_t bytes = 0;
    for (size_t i = 0; i < out->count; i++)
        bytes += out->entries[i].bytes.len;
    /* creating the objects takes as much memory again */
    return budget_room(bytes, r->err) < 0 ? -1 : budget_steps(0, r->err);
}

int render_context_files(struct render *out, struct arena *arena, const struct catalog *catalog,
                         const struct manifest *manifest, struct data *context, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct renderer r = {.arena = arena,
                         .manifest = manifest,
                         .files = catalog->files,
                         .context = context,
                         .includes = {.arena = arena, .files = catalog->files},
                         .err = err};
    return gather(out, &r) < 0 ? -1 : check_paths(out, &r);
}

int render(struct render *out, struct arena *arena, const struct render_input *input,
           struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct renderer r = {.arena = arena,
                         .manifest = input->manifest,
                         .files = input->catalog->files,
                         .alike = input->alike,
                         .context = render_context(arena, input),
                         .includes = {.arena = arena, .files = input->catalog->files},
                         .err = err};
    if (gather(out, &r) < 0 || add_attributes(out, &r) < 0 || check_paths(out, &r) < 0)
        return -1;
    return compute_tree(out, &r);
}

void render_keep_bytes(struct render *render, struct arena *arena)
{
    for (size_t i = 0; i < render->count; i++) {
        struct span *bytes = &render->entries[i].bytes;
        *bytes = span_of(arena_memdup(arena, bytes->ptr ? bytes->ptr : "", bytes->len), bytes->len);
    }
}

void render_sort(struct render *render)
{
    if (render->count)
        qsort(render->entries, render->count, sizeof(*render->entries), str_compare_first);
}

long render_find(const struct render *render, const char *path)
{
    size_t at = str_lower_bound(path, render->entries, render->count, sizeof(*render->entries));
    return at < render->count && strcmp(render->entries[at].path, path) == 0 ? (long)at : -1;
}

/* Checks what templates mention, in every branch: unknown names, missing files. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "catalog/base_image.h"
#include "catalog/manifest.h"
#include "catalog/manifest_text.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "jinja/mentions.h"

#include <string.h>

/* A text or a file being read. */
struct scan {
    struct lint *lint;
    struct lint_type *type;
    const struct data *known;     /* the names known there */
    const struct yaml_node *node; /* of a text of a manifest; NULL: a file */
    const char *what;             /* "in the name of this file"; or NULL */
    bool dead;                    /* the type's own facts leave it out */
    struct include_source includes;
};

/* ---------------------------------------------------------------- findings */

/* The path of an include's name, in the catalog. */
static const char *path_of(const struct scan *scan, const char *name)
{
    long index = fileset_find(scan->lint->files, name);
    if (index < 0)
        index = find_include(scan->lint->arena, scan->lint->files, name);
    return index < 0 ? name : scan->lint->files->entries[index].path;
}

static void place(struct err *wrong, const struct scan *scan, const struct mention *mention)
{
    if (scan->node) {
        (void)yaml_at_byte(wrong, scan->node, mention->offset);
        return;
    }
    (void)err_at(wrong, path_of(scan, mention->file), mention->source.ptr, mention->source.len,
                 mention->offset);
    if (*mention->through)
        (void)err_trace(wrong, "  included by %s", mention->through);
}

static void find(const struct scan *scan, enum lint_rule rule, struct err *wrong,
                 const struct mention *mention)
{
    const char *subject = arena_memdup(scan->lint->arena, mention->text.ptr, mention->text.len);
    place(wrong, scan, mention);
    if (scan->what)
        (void)err_wrap(wrong, "%s", scan->what);
    findings_add_of(scan->lint->findings, rule, wrong, subject, scan->type->name);
}

/* True where a finding would only be counted: finding its line and the nearest name is costly. */
static bool is_full(const struct scan *scan, enum lint_rule rule, const struct mention *mention)
{
    return findings_full(scan->lint->findings, rule) ||
           !budget_try_steps(budget_steps_of(mention->offset) + scan->known->map.count);
}

/* ---------------------------------------------------------------- names */

static const char *nearest_known(const struct scan *scan, const char *name)
{
    size_t count = scan->known->map.count;
    const char **names = arena_array(scan->lint->arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = scan->known->map.members[i].name.ptr;
    return str_nearest(name, names, count);
}

static void unknown_name(const struct scan *scan, const struct mention *mention)
{
    if (is_full(scan, RULE_UNKNOWN_NAME, mention))
        return;
    ERR_SCRATCH(wrong);
    const char *name = arena_memdup(scan->lint->arena, mention->text.ptr, mention->text.len);
    const char *near = nearest_known(scan, name);
    bool later = data_get(scan->type->known, name) != NULL;
    (void)err_set(&wrong, TG_USAGE, "invalid",
                  mention->alone ? "there is no '%s' without context"
                  : later        ? "'%s' is not answered yet here"
                                 : "there is no '%s'",
                  name);
    if (mention->alone)
        (void)err_hint(&wrong,
                       "write 'with context' behind the import or include, or hand '%s' "
                       "to a macro",
                       name);
    else if (later)
        (void)err_hint(&wrong, "questions see the answers of those before them: move '%s' up",
                       name);
    else if (scan->type->image)
        (void)err_hint(&wrong,
                       "%s%s%sbase images know image, resolution, request, catalog, "
                       "version and packages",
                       near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    else
        (void)err_hint(&wrong, "%s%s%sask for it by a question '%s' in templates/%s/template.yml",
                       near ? "did you mean '" : "", near ? near : "", near ? "'? Else " : "", name,
                       scan->type->name);
    find(scan, RULE_UNKNOWN_NAME, &wrong, mention);
}

static void see_name(const struct scan *scan, const struct mention *mention)
{
    struct arena *arena = scan->lint->arena;
    bool known = !mention->alone && data_get_span(scan->known, mention->text);
    if (!mention->alone && !data_get_span(scan->type->read, mention->text))
        data_append(
            arena, scan->type->read,
            span_of(arena_memdup(arena, mention->text.ptr, mention->text.len), mention->text.len),
            data_bool(arena, true));
    if (!mention->dead && !mention->lenient && !known)
        unknown_name(scan, mention);
}

/* ---------------------------------------------------------------- attributes */

static void see_member(const struct scan *scan, const struct mention *mention)
{
    ERR_SCRATCH(wrong);
    const char *nearest, *dot = memchr(mention->text.ptr, '.', mention->text.len);
    struct span owner = span_of(mention->text.ptr, (size_t)(dot - mention->text.ptr));
    const struct data *value = data_get_span(scan->known, owner);
    bool none = value && value->kind == DATA_NULL;
    if (mention->dead || mention->lenient || mention->alone ||
        (!none && (!value || attribute_is_known(&nearest, mention->text))))
        return;
    if (none && memchr(dot + 1, '.', mention->text.len - owner.len - 1))
        return; /* its owner was reported */
    if (is_full(scan, RULE_UNKNOWN_ATTRIBUTE, mention))
        return;
    (void)err_set(&wrong, TG_USAGE, "invalid",
                  none ? "'%.*s' is none here: the type has no stack" : "there is no '%.*s'",
                  (int)(none ? owner.len : mention->text.len), mention->text.ptr);
    if (none)
        (void)err_hint(&wrong, "ask for it: {%% if %.*s %%}", (int)owner.len, owner.ptr);
    else if (nearest)
        (void)err_hint(&wrong, "did you mean '%s'?", nearest);
    else
        (void)err_hint(&wrong, "docs/json.md lists what a resolution has");
    find(scan, RULE_UNKNOWN_ATTRIBUTE, &wrong, mention);
}

/* ---------------------------------------------------------------- includes */

/* The name by which a file of includes is included; NULL: it is not such a file. */
static const char *include_name(struct arena *arena, const char *path)
{
    static const char all[] = "templates/_includes/", layers[] = "templates/_layers/",
                      types[] = "templates/";
    if (str_starts(path, all))
        return path + strlen(all);
    if (!str_starts(path, types))
        return NULL;
    const char *owner = path + strlen(str_starts(path, layers) ? layers : types);
    size_t len = strcspn(owner, "/");
    if (!str_starts(owner + len, "/includes/"))
        return NULL;
    return arena_printf(arena, "%.*s/%s", (int)len, owner, owner + len + strlen("/includes/"));
}

static void add_template(struct lint_templates *out, struct lint *lint, const char *name,
                         const char *path)
{
    arena_push(lint->arena, out->names, out->count) = name;
    data_put(lint->arena, lint->reached, path, data_bool(lint->arena, true));
}

/* A name means one template; a pattern means all that it matches. */
static struct lint_templates find_templates(struct lint *lint, const char *text)
{
    struct lint_templates found = {NULL, 0};
    bool pattern = strchr(text, '*') != NULL;
    for (size_t i = 0; pattern && i < lint->include_count; i++)
        if (budget_glob(text, lint->include_names[i]))
            add_template(&found, lint, lint->include_names[i], lint->include_paths[i]);
    long index = pattern ? -1 : find_include(lint->arena, lint->files, text);
    if (index >= 0)
        add_template(&found, lint, text, lint->files->entries[index].path);
    return found;
}

/* Searches for each name only once. */
static size_t list_templates(const char *const **names, void *context, struct span mentioned)
{
    struct lint *lint = ((struct scan *)context)->lint;
    size_t count = lint->mentioned.count, number = intern_find(&lint->mentioned, mentioned);
    if (number == INTERN_NONE) {
        const char *text = arena_memdup(lint->arena, mentioned.ptr, mentioned.len);
        number = intern_add(&lint->mentioned, lint->arena, span_of(text, mentioned.len));
        lint->templates = arena_grow(lint->arena, lint->templates, count, sizeof(*lint->templates));
        lint->templates[number] = find_templates(lint, text);
    }
    *names = lint->templates[number].names;
    return lint->templates[number].count;
}

static void missing_include(const struct scan *scan, const struct mention *mention)
{
    ERR_SCRATCH(wrong);
    const struct lint *lint = scan->lint;
    if (is_full(scan, RULE_MISSING_INCLUDE, mention) || !budget_try_steps(lint->include_count))
        return;
    const char *text = arena_memdup(lint->arena, mention->text.ptr, mention->text.len);
    const char *near = str_nearest(text, lint->include_names, lint->include_count);
    (void)err_set(&wrong, TG_USAGE, "invalid", "there is no '%s' to include", text);
    if (near)
        (void)err_hint(&wrong, "did you mean '%s'?", near);
    else
        (void)err_hint(&wrong, "OWNER/FILE is looked for in the includes/ of the layer or type "
                               "OWNER, and in templates/_includes/");
    find(scan, RULE_MISSING_INCLUDE, &wrong, mention);
}

static void see_template(struct scan *scan, const struct mention *mention)
{
    const char *const *names;
    if (list_templates(&names, scan, mention->text) == 0 && !mention->dead && !mention->lenient)
        missing_include(scan, mention);
}

static void see(void *context, const struct mention *mention)
{
    struct scan *scan = context;
    if (mention->kind == MENTION_NAME)
        see_name(scan, mention);
    else if (mention->kind == MENTION_MEMBER)
        see_member(scan, mention);
    else
        see_template(scan, mention);
}

/* ---------------------------------------------------------------- files and texts */

/* Places the error in the catalog's file, whatever name the template has for itself. */
static void keep_broken(void *context, const char *name, const struct err *wrong)
{
    const struct scan *scan = context;
    struct err copy = *wrong;
    copy.where.file = arena_strdup(scan->lint->arena, path_of(scan, name));
    findings_add(scan->lint->findings, RULE_TEMPLATE, &copy);
}

static int read_source(struct scan *scan, const struct template_source *source, bool expression)
{
    ERR_SCRATCH(wrong);
    scan->includes =
        (struct include_source){.arena = scan->lint->arena, .files = scan->lint->files};
    struct template_loader loader = {.load = load_include, .context = &scan->includes};
    struct mention_reader reader = {.known = scan->known,
                                    .loader = scan->node || scan->what ? NULL : &loader,
                                    .templates = list_templates,
                                    .see = see,
                                    .broken = keep_broken,
                                    .context = scan,
                                    .members = true,
                                    .dead = scan->dead};
    if (template_mentions(&reader, source, expression, &wrong) == 0)
        return 0;
    if (scan->what && !lint_ends(&wrong))
        (void)err_wrap(&wrong, "%s", scan->what);
    if (!scan->node || lint_ends(&wrong))
        return lint_keep(scan->lint, RULE_TEMPLATE, &wrong);
    ERR_SCRATCH(placed);
    (void)yaml_blame(&placed, scan->node, &wrong);
    return lint_keep(scan->lint, RULE_TEMPLATE, &placed);
}

static int scan_text(struct lint *lint, struct lint_type *type, const struct data *known,
                     const struct manifest_text *text, bool expression)
{
    if (!text->text || !text->node)
        return 0;
    struct scan scan = {.lint = lint, .type = type, .known = known, .node = text->node};
    struct template_source source = manifest_text_source(text);
    return read_source(&scan, &source, expression);
}

/* Scans a text, or a list of texts. */
static int scan_node(struct lint *lint, struct lint_type *type, const struct data *known,
                     const struct yaml_node *node)
{
    if (!node)
        return 0;
    if (node->kind == YAML_SCALAR)
        return scan_text(lint, type, known, &(struct manifest_text){node->text.ptr, node}, false);
    for (size_t i = 0; node->kind == YAML_LIST && i < node->list.count; i++)
        if (scan_node(lint, type, known, node->list.items[i]) < 0)
            return -1;
    for (size_t i = 0; node->kind == YAML_MAP && i < node->map.count; i++) /* of a choice */
        if (scan_node(lint, type, known, node->map.members[i].value) < 0)
            return -1;
    return 0;
}

static bool is_never(const struct lint_type *type, const struct manifest_text *when)
{
    if (!when->text)
        return false;
    struct template_source source = {.name = "when", .text = span_from(when->text)};
    return template_never(type->known, &source);
}

/* True where the type's facts leave the file out: `when` of the layer, or of a matching row. */
static bool is_left_out(const struct lint_type *type, const struct type_file *file)
{
    const struct layer *layer = &file->layer->layer;
    if (file->layer->use && is_never(type, &file->layer->use->when))
        return true;
    for (size_t i = 0; i < layer->rule_count; i++)
        if (is_never(type, &layer->rules[i].when) &&
            type_files_may_match(layer->rules[i].glob, file))
            return true;
    return false;
}

static int scan_file(struct lint *lint, struct lint_type *type, const struct type_file *file)
{
    bool dead = file->layer->broken || is_left_out(type, file);
    const char *below = file->source + strlen(file->layer->layer.folder);
    if (!str_starts(file->source, file->layer->layer.folder))
        below = strrchr(file->source, '/') + 1; /* a Dockerfile beside files/ */
    struct template_source source = {.name = file->source,
                                     .text = span_from(file->path),
                                     .delimiters = layer_delimiters(&file->layer->layer, below)};
    struct scan name = {.lint = lint,
                        .type = type,
                        .known = type->known,
                        .what = "in the name of this file",
                        .dead = dead};
    if (strcmp(file->path, file->pattern) != 0 && read_source(&name, &source, false) < 0)
        return -1;
    if (!file->is_template)
        return 0;
    if (lint->files->read(&source.text, lint->files, file->index, lint->err) < 0)
        return -1;
    if (source.text.len > LIMIT_TEMPLATE_BYTES) {
        ERR_SCRATCH(wrong);
        (void)err_set(&wrong, TG_USAGE, "limit", "'%s' is larger than %zu MiB", file->source,
                      LIMIT_TEMPLATE_BYTES / LIMIT_MIB);
        return lint_keep(lint, RULE_TEMPLATE, &wrong);
    }
    struct scan content = {.lint = lint, .type = type, .known = type->known, .dead = dead};
    return read_source(&content, &source, false);
}

/* ---------------------------------------------------------------- a type */

/* Each question may use the answers of those before it. */
static int scan_questions(struct lint *lint, struct lint_type *type)
{
    const struct manifest *manifest = type->manifest;
    struct data *known = data_map(lint->arena);
    for (size_t i = 0; i < type->known->map.count; i++) {
        struct data_member *member = &type->known->map.members[i];
        if (!manifest_question(manifest, member->name.ptr))
            data_put_span(lint->arena, known, member->name, member->value);
    }
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        if (scan_text(lint, type, known, &question->when, true) < 0 ||
            scan_text(lint, type, known, &question->help, false) < 0 ||
            scan_text(lint, type, known, &question->computed, false) < 0 ||
            scan_node(lint, type, known, question->fallback) < 0 ||
            scan_node(lint, type, known, question->choices) < 0)
            return -1;
        data_put(lint->arena, known, question->name, data_bool(lint->arena, true));
    }
    return 0;
}

static int scan_manifest(struct lint *lint, struct lint_type *type)
{
    const struct manifest *manifest = type->manifest;
    for (size_t i = 0; i < manifest->layer_count; i++)
        if (scan_text(lint, type, type->known, &manifest->layers[i].name, false) < 0 ||
            scan_text(lint, type, type->known, &manifest->layers[i].when, true) < 0)
            return -1;
    for (size_t i = 0; i < manifest->refusal_count; i++)
        if (scan_text(lint, type, type->known, &manifest->refusals[i].when, true) < 0 ||
            scan_text(lint, type, type->known, &manifest->refusals[i].because, false) < 0)
            return -1;
    for (size_t i = 0; i < manifest->next_count; i++)
        if (scan_text(lint, type, type->known, &manifest->next[i], false) < 0)
            return -1;
    return type->image ? 0 : scan_questions(lint, type);
}

static int scan_type(struct lint *lint, struct lint_type *type)
{
    if (scan_manifest(lint, type) < 0)
        return -1;
    for (size_t i = 0; i < type->parts.layer_count; i++) {
        const struct layer *layer = &type->parts.layers[i].layer;
        for (size_t j = 0; j < layer->rule_count; j++)
            if (scan_text(lint, type, type->known, &layer->rules[j].when, true) < 0)
                return -1;
    }
    for (size_t i = 0; i < type->parts.file_count; i++)
        if (scan_file(lint, type, &type->parts.files[i]) < 0)
            return -1;
    return 0;
}

static void list_includes(struct lint *lint)
{
    lint->include_names =
        arena_array(lint->arena, lint->files->count + 1, sizeof(*lint->include_names));
    lint->include_paths =
        arena_array(lint->arena, lint->files->count + 1, sizeof(*lint->include_paths));
    for (size_t i = 0; i < lint->files->count; i++) {
        const char *path = lint->files->entries[i].path, *name = include_name(lint->arena, path);
        if (!name)
            continue;
        lint->include_names[lint->include_count] = name;
        lint->include_paths[lint->include_count++] = path;
    }
}

int lint_mentions(struct lint *lint)
{
    list_includes(lint);
    for (size_t i = 0; i < lint->type_count; i++)
        if (lint->types[i].manifest && scan_type(lint, &lint->types[i]) < 0)
            return -1;
    return 0;
}

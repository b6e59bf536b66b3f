/* cookiecutter 2: cookiecutter.json, the folder `{{ cookiecutter... }}`, hooks/. */
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/json.h"
#include "base/limits.h"
#include "import/draft.h"
#include "import/format.h"
#include "import/script.h"
#include "import/style.h"

#include <string.h>

#define MANIFEST "cookiecutter.json"

/* One template under way. */
struct cookiecutter {
    struct draft *draft;
    struct arena *arena;
    const char *folder; /* "" or with its '/' */
    const char *path;   /* of its cookiecutter.json */
    struct span text;
    const struct data *all;
    struct err *err;
};

static const char *find(const struct fileset *files, const char *folder)
{
    ARENA_SCRATCH(scratch);
    bool found = fileset_find(files, arena_printf(&scratch, "%s" MANIFEST, folder)) >= 0;
    return found ? MANIFEST : NULL;
}

static int at_manifest(const struct cookiecutter *c)
{
    return err_at(c->err, c->path, c->text.ptr, c->text.len, 0);
}

/* ---------------------------------------------------------------- answers */

/* The settings: names that mean something to cookiecutter itself. */
static const char *const settings[] = {
    "_extensions", "_copy_without_render", "_jinja2_env_vars", "_new_lines", "__prompts__",
    "_template",   "_output_dir",          "_repo_dir",        "_checkout"};

static bool is_setting(struct span name)
{
    return str_is_among(name.ptr, settings, sizeof(settings) / sizeof(*settings));
}

/* As Python's str() has it. */
static const char *as_text(struct arena *arena, const struct data *value)
{
    BUF_SCRATCH(out, 64);
    switch (value->kind) {
    case DATA_STR:
        return data_text(value);
    case DATA_INT:
        return arena_printf(arena, "%lld", (long long)value->integer);
    case DATA_FLOAT:
        (void)data_put_real(&out, value->real);
        return arena_strdup(arena, buf_text(&out));
    default:
        return NULL;
    }
}

/* A name that begins with `_` is never asked; only with `__` is it rendered. */
static void add_private(const struct cookiecutter *c, const char *ours, struct span name,
                        const struct data *value)
{
    static const char *const types[] = {
        [DATA_BOOL] = "bool", [DATA_INT] = "int", [DATA_FLOAT] = "float", [DATA_STR] = "str"};
    bool renders = name.len > 1 && name.ptr[1] == '_';
    bool number = value->kind == DATA_INT || value->kind == DATA_FLOAT;
    const char *text = as_text(c->arena, value);
    if (!text && value->kind != DATA_BOOL) {
        const char *literal = draft_literal(c->draft, value, renders);
        if (literal)
            draft_constant(c->draft, ours, literal);
        else
            draft_tell(c->draft, "question", c->path, 0, "the value of '%s' cannot be said here",
                       name.ptr);
        return;
    }
    struct data *row =
        draft_question(c->draft, ours, renders && number ? "str" : types[value->kind]);
    if (value->kind == DATA_BOOL)
        data_put_text(c->arena, row, "default", value->boolean ? "true" : "false");
    else if (renders)
        draft_default(c->draft, row, name.ptr, text);
    else
        data_put_text(c->arena, row, "default",
                      translate_plain(c->arena, span_from(text), DELIMITERS_JINJA));
    draft_compute(c->draft, row);
}

/* The label of a choice: of a map of `__prompts__`, or NULL. */
static const char *label_of(const struct cookiecutter *c, const char *name, const char *choice)
{
    const struct data *prompt = data_get(data_get(c->all, "__prompts__"), name);
    const char *label = data_get_text(prompt, choice);
    return label ? translate_plain(c->arena, span_from(label), DELIMITERS_JINJA) : NULL;
}

/* What a person is asked: a text, or a map with `__prompt__` and a label for each choice. */
static void add_help(const struct cookiecutter *c, struct data *row, const char *name)
{
    const struct data *prompt = data_get(data_get(c->all, "__prompts__"), name);
    const char *text = data_text(prompt);
    if (prompt && prompt->kind == DATA_MAP)
        text = data_get_text(prompt, "__prompt__");
    if (text)
        data_put_text(c->arena, row, "help",
                      translate_plain(c->arena, span_from(text), DELIMITERS_JINJA));
}

static void add_choices(const struct cookiecutter *c, struct data *row, const char *name,
                        const struct data *list)
{
    struct data *choices = data_list(c->arena);
    const char *first = NULL;
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *value = list->list.items[i];
        const char *why = "it is no text", *theirs = as_text(c->arena, value);
        if (value->kind == DATA_BOOL)
            theirs = value->boolean ? "True" : "False";
        const char *ours = theirs ? draft_text(&why, c->draft, theirs) : NULL;
        first = first ? first : ours;
        if (ours)
            data_push(c->arena, choices, draft_choice(c->draft, ours, label_of(c, name, theirs)));
        else
            draft_tell(c->draft, "question", c->path, 0, "choice %zu of '%s' cannot be said: %s",
                       i + 1, name, why);
    }
    if (choices->list.count == 0) {
        data_put_text(c->arena, row, "type", "str");
        data_put_text(c->arena, row, "default", "");
        return;
    }
    data_put_text(c->arena, row, "default", first);
    data_put(c->arena, row, "choices", choices);
}

static void add_public(const struct cookiecutter *c, const char *ours, const char *name,
                       const struct data *value)
{
    static const char *const types[] = {
        [DATA_NULL] = "str",  [DATA_BOOL] = "bool", [DATA_INT] = "str",
        [DATA_FLOAT] = "str", [DATA_STR] = "str",   [DATA_LIST] = "choice"};
    struct data *row = draft_question(c->draft, ours, types[value->kind]);
    add_help(c, row, name);
    if (value->kind == DATA_LIST)
        add_choices(c, row, name, value);
    else if (value->kind == DATA_BOOL)
        data_put(c->arena, row, "default", data_copy(c->arena, value));
    else if (value->kind == DATA_NULL)
        data_put_text(c->arena, row, "default", "");
    else
        draft_default(c->draft, row, name, as_text(c->arena, value));
    if (value->kind == DATA_NULL)
        draft_tell(c->draft, "question", c->path, 0,
                   "the default of '%s' is null, which is an empty text here", name);
}

/* A map is edited as JSON: here it is what it says. */
static void add_map(const struct cookiecutter *c, const char *ours, const char *name,
                    const struct data *value)
{
    const char *literal = draft_literal(c->draft, value, true);
    draft_tell(c->draft, "question", c->path, 0,
               literal ? "'%s' is a mapping: nobody is asked, templates that read it set it"
                       : "'%s' is a mapping whose value cannot be said here",
               name);
    if (literal)
        draft_constant(c->draft, ours, literal);
}

/* As cookiecutter does: mappings come last, since they may read all else. */
static void add_answers(const struct cookiecutter *c)
{
    for (size_t i = 0; i < c->all->map.count; i++)
        if (!is_setting(c->all->map.members[i].name))
            (void)draft_name(c->draft, c->all->map.members[i].name.ptr, c->all);
    for (int maps = 0; maps < 2; maps++)
        for (size_t i = 0; i < c->all->map.count; i++) {
            const struct data_member *member = &c->all->map.members[i];
            bool is_private = *member->name.ptr == '_';
            bool is_late = member->value->kind == DATA_MAP &&
                           (!is_private || str_starts(member->name.ptr, "__"));
            if (is_setting(member->name) || is_late != maps)
                continue;
            const char *ours = data_get_text(c->draft->names, member->name.ptr);
            if (is_private)
                add_private(c, ours, member->name, member->value);
            else if (member->value->kind == DATA_MAP)
                add_map(c, ours, member->name.ptr, member->value);
            else
                add_public(c, ours, member->name.ptr, member->value);
            draft_know(c->draft, ours);
        }
}

/* ---------------------------------------------------------------- files */

/* The first folder whose name is worked out from cookiecutter's answers, with its '/'. */
static const char *find_root(const struct cookiecutter *c)
{
    const struct fileset *files = c->draft->from;
    const struct jinja_style *style = &c->draft->dialect.style;
    for (size_t i = fileset_lower_bound(files, c->folder);
         i < files->count && str_starts(files->entries[i].path, c->folder); i++) {
        const char *below = files->entries[i].path + strlen(c->folder);
        size_t len = strcspn(below, "/");
        const char *name = arena_memdup(c->arena, below, len);
        if (below[len] && strstr(name, "cookiecutter") && strstr(name, style->variable_begin) &&
            strstr(name, style->variable_end))
            return arena_printf(c->arena, "%s%s/", c->folder, name);
    }
    return NULL;
}

/* fnmatch, whose `*` matches '/', too. */
static bool matches(struct arena *arena, const char *pattern, const char *path)
{
    BUF_SCRATCH(glob, 2 * LIMIT_GLOB_BYTES);
    for (; *pattern; pattern++)
        (void)buf_puts(&glob, *pattern == '*' ? "**" : (char[]){*pattern, '\0'});
    return budget_glob(arena_strdup(arena, buf_text(&glob)), path);
}

/* How much of `path` is copied as it lies: up to a folder, or all of it; 0: it is rendered. */
static size_t copied_part(const struct cookiecutter *c, const char *path)
{
    const struct data *patterns = data_get(c->all, "_copy_without_render");
    for (size_t len = strcspn(path, "/");; len += 1 + strcspn(path + len + 1, "/")) {
        const char *part = arena_memdup(c->arena, path, len);
        for (size_t i = 0; patterns && i < patterns->list.count; i++)
            if (matches(c->arena, data_text(patterns->list.items[i]), part))
                return len;
        if (!path[len])
            return 0;
    }
}

static void add_file(const struct cookiecutter *c, size_t index, const char *below)
{
    size_t part = copied_part(c, below);
    struct draft_input input = {
        .index = index, .path = below, .renders = part == 0, .renders_name = true};
    if (part && below[part]) { /* only the folder's own name is rendered */
        const char *rest =
            translate_plain(c->arena, span_from(below + part), c->draft->dialect.files);
        input.path = arena_printf(c->arena, "%.*s%s", (int)part, below, rest);
    }
    draft_add_input(c->draft, input);
}

static int add_files(const struct cookiecutter *c)
{
    const struct fileset *files = c->draft->from;
    const char *root = find_root(c);
    if (!root) {
        (void)err_set(c->err, TG_USAGE, "invalid",
                      "there is no folder '{{ cookiecutter. ... }}' beside " MANIFEST);
        return at_manifest(c);
    }
    for (size_t i = fileset_lower_bound(files, root);
         i < files->count && str_starts(files->entries[i].path, root); i++)
        add_file(c, i, files->entries[i].path + strlen(root));
    c->draft->include_folders[0] = root;
    c->draft->include_folders[1] = arena_printf(c->arena, "%stemplates/", c->folder);
    return 0;
}

/* ---------------------------------------------------------------- code, which is never run */

static int tell_hooks(const struct cookiecutter *c)
{
    const struct fileset *files = c->draft->from;
    const char *hooks = arena_printf(c->arena, "%shooks/", c->folder);
    struct span text;
    for (size_t i = fileset_lower_bound(files, hooks);
         i < files->count && str_starts(files->entries[i].path, hooks); i++) {
        const char *path = files->entries[i].path;
        if (files->read(&text, files, i, c->err) < 0)
            return -1;
        draft_tell(c->draft, "hook", path, 0, "a hook, which is not run here; it begins: %s",
                   script_gist(c->arena, text));
    }
    return 0;
}

static void tell_extensions(const struct cookiecutter *c)
{
    const struct data *list = data_get(c->all, "_extensions");
    for (size_t i = 0; list && list->kind == DATA_LIST && i < list->list.count; i++)
        draft_tell(c->draft, "extension", c->path, 0, "the Jinja2 extension '%s'",
                   data_text(list->list.items[i]) ? data_text(list->list.items[i]) : "?");
    if (data_get(c->all, "_new_lines"))
        draft_tell(c->draft, "setting", c->path, 0,
                   "'_new_lines': lines end here as they do in the templates");
}

/* ---------------------------------------------------------------- the whole */

static bool is_texts(const struct data *value)
{
    for (size_t i = 0; value->kind == DATA_LIST && i < value->list.count; i++)
        if (value->list.items[i]->kind != DATA_STR)
            return false;
    return value->kind == DATA_LIST;
}

static int check_settings(const struct cookiecutter *c)
{
    const struct data *patterns = data_get(c->all, "_copy_without_render");
    if (!patterns || is_texts(patterns))
        return 0;
    (void)err_set(c->err, TG_USAGE, "invalid", "'_copy_without_render' must be a list of texts");
    return at_manifest(c);
}

static int read_template(struct draft *draft, const char *folder, struct err *err)
{
    struct cookiecutter c = {.draft = draft, .arena = draft->arena, .folder = folder, .err = err};
    struct data *all;
    c.path = arena_printf(draft->arena, "%s" MANIFEST, folder);
    if (fileset_get(&c.text, draft->from, c.path, err) < 0 ||
        json_parse(&all, draft->arena, c.path, c.text, err) < 0)
        return -1;
    c.all = all;
    if (all->kind != DATA_MAP) {
        (void)err_set(err, TG_USAGE, "invalid", "a mapping is wanted here");
        return at_manifest(&c);
    }
    draft->dialect.object = "cookiecutter";
    if (check_settings(&c) < 0 || style_read(draft, data_get(all, "_jinja2_env_vars"), err) < 0)
        return at_manifest(&c);
    add_answers(&c);
    tell_extensions(&c);
    return add_files(&c) < 0 ? -1 : tell_hooks(&c);
}

const struct import_format cookiecutter_format = {
    .name = "cookiecutter", .find = find, .read = read_template};

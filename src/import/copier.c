/* copier 9: copier.yml, files that end in .jinja. */
#include "base/arena.h"
#include "base/budget.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/str.h"
#include "base/yaml.h"
#include "import/copier_question.h"
#include "import/copier_value.h"
#include "import/draft.h"
#include "import/format.h"
#include "import/ignore.h"
#include "import/script.h"
#include "import/style.h"

#include <string.h>

/* One template under way. */
struct copier {
    struct draft *draft;
    struct arena *arena;
    const char *path; /* of its copier.yml */
    const struct yaml_node *root;
    const char *files;     /* the folder of what a project gets, "" or with its '/' */
    const char *suffix;    /* of what is rendered; "" where all is */
    const char *answers;   /* the file of answers */
    const char **excluded; /* globs */
    size_t excluded_count;
    struct err *err;
};

static const char *const names[] = {"copier.yml", "copier.yaml"};

static const char *find(const struct fileset *files, const char *folder)
{
    ARENA_SCRATCH(scratch);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (fileset_find(files, arena_printf(&scratch, "%s%s", folder, names[i])) >= 0)
            return names[i];
    return NULL;
}

/* ---------------------------------------------------------------- settings */

static int read_text(const char **out, const struct copier *c, const char *key)
{
    const struct yaml_node *node = yaml_get(c->root, key);
    return node && yaml_is_null(node) ? 0 : yaml_text(out, node, key, c->err);
}

static int read_folder(struct copier *c, const char *folder)
{
    const char *sub = "";
    if (read_text(&sub, c, "_subdirectory") < 0)
        return -1;
    if (strstr(sub, c->draft->dialect.style.variable_begin)) {
        (void)yaml_error(c->err, yaml_get(c->root, "_subdirectory"),
                         "'_subdirectory' is worked out from answers: each folder is a type here");
        return err_hint(c->err, "name one of the folders there, and import it; then the next");
    }
    while (str_starts(sub, "./"))
        sub += 2;
    size_t len = strlen(sub);
    while (len && sub[len - 1] == '/')
        len--;
    if (len == 0 || strcmp(sub, ".") == 0)
        c->files = folder;
    else
        c->files = arena_printf(c->arena, "%s%.*s/", folder, (int)len, sub);
    return 0;
}

static int read_settings(struct copier *c, const char *folder)
{
    const struct yaml_node *options = yaml_get(c->root, "_envops");
    if (style_read(c->draft, options ? copier_value(c->arena, options) : NULL, c->err) < 0)
        return yaml_at(c->err, options);
    if (read_text(&c->suffix, c, "_templates_suffix") < 0 ||
        read_text(&c->answers, c, "_answers_file") < 0)
        return -1;
    return read_folder(c, folder);
}

/* ---------------------------------------------------------------- rules of files */

static void add_rule(const struct copier *c, const char *glob, const char *key, const char *value)
{
    struct data *rule = data_map(c->arena);
    data_put_text(c->arena, rule, "match", glob);
    data_put_text(c->arena, rule, key, value);
    data_push(c->arena, c->draft->rules, rule);
}

/* The globs of a pattern; none, and told, where there are none. */
static bool globs_of(const char *globs[IGNORE_GLOBS], const struct copier *c, const char *key,
                     const char *pattern)
{
    globs[0] = globs[1] = NULL;
    if (!strstr(pattern, c->draft->dialect.style.block_begin) &&
        !strstr(pattern, c->draft->dialect.style.variable_begin) &&
        ignore_globs(globs, c->arena, pattern))
        return true;
    draft_tell(c->draft, "rule", c->path, 0, "'%s' has a pattern that is no glob: %s", key,
               pattern);
    return false;
}

/* `{% if A %}PATTERN{% endif %}`: files that are not there while A holds. */
static bool exclude_when(const struct copier *c, const char *pattern)
{
    const char *when, *then, *why = "", *globs[IGNORE_GLOBS];
    if (!text_as_condition(&when, &then, c->arena, pattern, &c->draft->dialect.style))
        return false;
    const char *ours = draft_expression(&why, c->draft, when);
    if (!ours) {
        draft_tell(c->draft, "rule", c->path, 0, "a condition of '_exclude' cannot be said: %s",
                   why);
        return true;
    }
    for (size_t i = 0; globs_of(globs, c, "_exclude", then) && i < IGNORE_GLOBS; i++)
        if (globs[i])
            add_rule(c, globs[i], "when", arena_printf(c->arena, "not (%s)", ours));
    return true;
}

static void exclude(struct copier *c, const char *pattern)
{
    const char *globs[IGNORE_GLOBS];
    if (exclude_when(c, pattern) || !globs_of(globs, c, "_exclude", pattern))
        return;
    for (size_t i = 0; i < IGNORE_GLOBS; i++)
        if (globs[i]) {
            c->excluded =
                arena_grow(c->arena, c->excluded, c->excluded_count, sizeof(*c->excluded));
            c->excluded[c->excluded_count++] = globs[i];
        }
}

static int read_rules(struct copier *c, const char *folder)
{
    static const char *const usual[] = {"copier.yaml", "copier.yml", "~*",        "*.py[co]",
                                        "__pycache__", ".git",       ".DS_Store", ".svn"};
    const struct yaml_node *node = yaml_get(c->root, "_exclude");
    const char **patterns = NULL, **seeds = NULL, *globs[IGNORE_GLOBS];
    size_t count = 0, seed_count = 0;
    if (yaml_texts(&patterns, &count, c->arena, node, "_exclude", c->err) < 0 ||
        yaml_texts(&seeds, &seed_count, c->arena, yaml_get(c->root, "_skip_if_exists"),
                   "_skip_if_exists", c->err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        exclude(c, patterns[i]);
    for (size_t i = 0; !node && strcmp(c->files, folder) == 0 && i < 8; i++)
        exclude(c, usual[i]);
    for (size_t i = 0; i < seed_count; i++)
        if (globs_of(globs, c, "_skip_if_exists", seeds[i]))
            for (size_t j = 0; j < IGNORE_GLOBS; j++)
                if (globs[j])
                    add_rule(c, globs[j], "policy", "seed");
    return 0;
}

/* ---------------------------------------------------------------- files */

static bool is_excluded(const struct copier *c, const char *path)
{
    const char *plain = text_without_tags(c->arena, path, &c->draft->dialect.style);
    for (size_t i = 0; i < c->excluded_count; i++)
        if (budget_glob(c->excluded[i], plain))
            return true;
    return false;
}

static bool is_answers_file(const struct copier *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strstr(name, "_copier_conf.answers_file") || strcmp(path, c->answers) == 0;
}

static void add_file(const struct copier *c, size_t index, const char *below)
{
    const struct fileset *files = c->draft->from;
    bool renders = str_ends(below, c->suffix);
    size_t len = strlen(below) - (renders ? strlen(c->suffix) : 0);
    const char *path = arena_memdup(c->arena, below, len);
    const char *sibling = arena_printf(c->arena, "%s%s", files->entries[index].path, c->suffix);
    if ((*c->suffix && fileset_find(files, sibling) >= 0) || is_answers_file(c, path) ||
        is_excluded(c, path))
        return;
    draft_add_input(c->draft,
                    (struct draft_input){
                        .index = index, .path = path, .renders = renders, .renders_name = true});
}

static void add_files(const struct copier *c, const char *folder)
{
    const struct fileset *files = c->draft->from;
    for (size_t i = fileset_lower_bound(files, c->files);
         i < files->count && str_starts(files->entries[i].path, c->files); i++)
        add_file(c, i, files->entries[i].path + strlen(c->files));
    c->draft->include_folders[0] = folder;
}

/* ---------------------------------------------------------------- what is not done here */

static const struct {
    const char *key, *kind, *what;
} told[] = {
    {"_tasks", "task", "a task, which is not run here"},
    {"_migrations", "migration", "a migration, which is not run here"},
    {"_jinja_extensions", "extension", "a Jinja2 extension"},
    {"_external_data", "setting", "answers of another file"},
    {"_message_before_copy", "message", "a message, which is not shown here"},
    {"_message_after_copy", "message", "a message, which is not shown here"},
    {"_message_before_update", "message", "a message, which is not shown here"},
    {"_message_after_update", "message", "a message, which is not shown here"},
};

static const char *gist(const struct copier *c, const struct yaml_node *node)
{
    struct span source = node->doc->source;
    const char *start = source.ptr + node->offset;
    size_t rest = source.len - node->offset;
    const char *command = NULL;
    if (node->kind == YAML_MAP && yaml_get(node, "command") &&
        yaml_get(node, "command")->kind == YAML_SCALAR)
        command = yaml_get(node, "command")->text.ptr;
    else if (node->kind == YAML_SCALAR)
        command = node->text.ptr;
    if (command)
        return script_gist(c->arena, span_from(command));
    const char *end = rest ? memchr(start, '\n', rest) : NULL;
    return script_gist(c->arena, span_of(start, end ? (size_t)(end - start) : rest));
}

static void tell(const struct copier *c)
{
    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
        const struct yaml_node *node = yaml_get(c->root, told[i].key);
        size_t count = node && node->kind == YAML_LIST ? node->list.count : node != NULL;
        for (size_t j = 0; j < count; j++) {
            const struct yaml_node *item = node->kind == YAML_LIST ? node->list.items[j] : node;
            draft_tell(c->draft, told[i].kind, c->path, draft_line(item->doc->source, item->offset),
                       "%s: %s", told[i].what, gist(c, item));
        }
    }
}

/* ---------------------------------------------------------------- the whole */

static int read_template(struct draft *draft, const char *folder, struct err *err)
{
    struct copier c = {.draft = draft,
                       .arena = draft->arena,
                       .files = folder,
                       .suffix = ".jinja",
                       .answers = ".copier-answers.yml",
                       .err = err};
    struct yaml_doc *doc;
    struct span text;
    c.path = arena_printf(draft->arena, "%s%s", folder, find(draft->from, folder));
    if (fileset_get(&text, draft->from, c.path, err) < 0 ||
        yaml_parse_foreign(&doc, draft->arena, c.path, text, err) < 0)
        return -1;
    c.root = doc->root;
    if (c.root && c.root->kind != YAML_MAP)
        return yaml_error(err, c.root, "a mapping is wanted here");
    if (read_settings(&c, folder) < 0)
        return -1;
    if (c.root)
        copier_questions(draft, c.path, c.root);
    if (read_rules(&c, folder) < 0)
        return -1;
    add_files(&c, folder);
    if (c.root)
        tell(&c);
    return 0;
}

const struct import_format copier_format = {.name = "copier", .find = find, .read = read_template};

/* Reads clues in a repository's files: names, requirements, Pythons, a template's answers. */
#include "update/adopt/adopt_read.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "child/child.h"
#include "data/data.h"
#include "data/json.h"
#include "data/toml.h"
#include "data/yaml.h"
#include "git/store.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CLUES_MAX = 10000, FILES_MAX = 100 }; /* files of one kind */

struct reading {
    struct clues *out;
    struct arena *arena;
    const struct child *child;
    const char *from; /* the file */
};

/* ---------------------------------------------------------------- clues */

static void warn(struct reading *r, const char *why)
{
    words_printf(&r->out->warnings, r->arena, "'%s' was not read for guesses: %s", r->from, why);
}

static void add(struct reading *r, enum clue_kind kind, const char *name, const char *value)
{
    struct clues *out = r->out;
    if (!value || !*value || out->count == CLUES_MAX)
        return;
    arena_push(r->arena, out->items, out->count) = (struct clue){
        kind, name ? arena_strdup(r->arena, name) : NULL, arena_strdup(r->arena, value), r->from};
}

static const char *trimmed(struct arena *arena, const char *text, size_t len)
{
    while (len && isspace((unsigned char)*text)) {
        text++;
        len--;
    }
    return arena_memdup(arena, text, span_trim_end(span_of(text, len), " \t\n\v\f\r").len);
}

/* Takes the next line without its end; NULL after the last. */
static const char *next_line(struct arena *arena, struct span *text)
{
    if (!text->len)
        return NULL;
    struct span line = span_cut_line(text);
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return arena_memdup(arena, line.ptr, line.len);
}

/* ---------------------------------------------------------------- versions */

/* "3.11.4-slim" -> "3.11.4"; "" where the text begins with no version of two numbers. */
static const char *leading_version(struct arena *arena, const char *text)
{
    struct span number = span_trim_end(span_of(text, strspn(text, "0123456789.")), ".");
    const char *version = arena_memdup(arena, number.ptr, number.len);
    return strchr(version, '.') ? version : "";
}

/* Adds a Python; only its minor counts. */
static void add_python(struct reading *r, const char *version)
{
    const char *dot = strchr(version, '.');
    if (!dot || !isdigit((unsigned char)dot[1]))
        return;
    size_t len = (size_t)(dot - version) + 1 + strspn(dot + 1, "0123456789");
    add(r, FOUND_PYTHON, NULL, arena_printf(r->arena, "==%.*s.*", (int)len, version));
}

enum { VERSION_MAX = 1000000 }; /* a larger number is no version */

/* Converts Poetry's `^2.4.1`, `~2.4`, `2.4.1`, `*` and the like to pip's form. */
static const char *poetry_spec(struct arena *arena, const char *text)
{
    char *end;
    if (strcmp(text, "*") == 0)
        return "";
    if (isdigit((unsigned char)*text))
        return arena_printf(arena, "==%s", text);
    if (*text != '^' && (*text != '~' || text[1] == '='))
        return text;
    const char *version = text + 1;
    long part[3] = {0}, count = 0; /* "2.4" has two */
    for (const char *at = version; count < 3 && isdigit((unsigned char)*at); at = end + 1) {
        part[count++] = strtol(at, &end, 10);
        if (*end != '.')
            break;
    }
    if (part[0] >= VERSION_MAX || part[1] >= VERSION_MAX || part[2] >= VERSION_MAX)
        return "";
    if (*text == '^' && part[0] == 0 && part[1] == 0 && count == 3)
        return arena_printf(arena, ">=%s,<0.0.%ld", version, part[2] + 1);
    if (count > 1 && (*text == '~' || part[0] == 0))
        return arena_printf(arena, ">=%s,<%ld.%ld", version, part[0], part[1] + 1);
    return arena_printf(arena, ">=%s,<%ld", version, part[0] + 1);
}

/* ---------------------------------------------------------------- pip */

/* A line of a requirements file, or an entry of a list of them. */
static void add_requirement(struct reading *r, const char *text)
{
    const char *line = trimmed(r->arena, text, strcspn(text, "#"));
    size_t len = strlen(line);
    for (size_t i = 0; i < len; i++)
        if (line[i] == '\\' || strncmp(line + i, " --", 3) == 0)
            len = i;
    if (len && isalnum((unsigned char)*line))
        add(r, FOUND_REQUIREMENT, NULL, trimmed(r->arena, line, len));
}

static void read_requirements(struct reading *r, struct span text)
{
    const char *line;
    while ((line = next_line(r->arena, &text)))
        add_requirement(r, line);
}

/* ---------------------------------------------------------------- pyproject.toml */

/* Keys, and the answers that they give. A package may lie in a folder. */
static const struct {
    const char *path, *answer;
} pyproject_answers[] = {{"project.name", "name"},
                         {"tool.poetry.name", "name"},
                         {"project.description", "description"},
                         {"tool.poetry.description", "description"},
                         {"tool.poetry.packages.include", "package"},
                         {"tool.setuptools.packages", "package"},
                         {"tool.hatch.build.targets.wheel.packages", "package"},
                         {"tool.flit.module.name", "package"}};

static void read_poetry(struct reading *r, const char *key, const char *text)
{
    const char *dot = strchr(key, '.');
    const char *name = arena_memdup(r->arena, key, dot ? (size_t)(dot - key) : strlen(key));
    if (dot && strcmp(dot, ".version") != 0)
        return;
    const char *spec = poetry_spec(r->arena, text);
    if (strcmp(name, "python") == 0)
        add(r, FOUND_PYTHON, NULL, spec);
    else
        add(r, FOUND_REQUIREMENT, NULL, arena_printf(r->arena, "%s%s", name, spec));
}

/* The key after "tool.poetry.dependencies." and the like; NULL: the table is another. */
static const char *poetry_key(const char *path)
{
    static const char start[] = "tool.poetry.", group[] = "group.", table[] = "dependencies.";
    if (!str_starts(path, start))
        return NULL;
    path += strlen(start);
    if (str_starts(path, group)) {
        const char *dot = strchr(path + strlen(group), '.');
        path = dot ? dot + 1 : "";
    } else if (str_starts(path, "dev-")) {
        path += strlen("dev-");
    }
    return str_starts(path, table) ? path + strlen(table) : NULL;
}

static void take_pyproject(void *context, const char *path, const char *text)
{
    const char *poetry = poetry_key(path);
    struct reading *r = context;
    for (size_t i = 0; i < sizeof(pyproject_answers) / sizeof(*pyproject_answers); i++)
        if (strcmp(path, pyproject_answers[i].path) == 0) {
            const char *slash = strrchr(text, '/');
            bool place = strcmp(pyproject_answers[i].answer, "package") == 0 && slash;
            add(r, FOUND_ANSWER, pyproject_answers[i].answer, place ? slash + 1 : text);
        }
    if (strcmp(path, "project.requires-python") == 0)
        add(r, FOUND_PYTHON, NULL, text);
    else if (strcmp(path, "project.dependencies") == 0 ||
             str_starts(path, "project.optional-dependencies.") ||
             str_starts(path, "dependency-groups."))
        add_requirement(r, text);
    else if (poetry)
        read_poetry(r, poetry, text);
}

static void read_pyproject(struct reading *r, struct span text)
{
    if (!toml_valid(text))
        warn(r, "it is no valid TOML");
    else
        (void)toml_each_text(text, take_pyproject, r);
}

/* ---------------------------------------------------------------- setup.cfg */

static void take_setup(struct reading *r, const char *section, const char *key, const char *value)
{
    bool metadata = strcmp(section, "metadata") == 0;
    if (metadata && (strcmp(key, "name") == 0 || strcmp(key, "description") == 0))
        add(r, FOUND_ANSWER, key, value);
    else if (strcmp(section, "options") == 0 && strcmp(key, "python_requires") == 0)
        add(r, FOUND_PYTHON, NULL, value);
    else if ((strcmp(section, "options") == 0 && strcmp(key, "install_requires") == 0) ||
             strcmp(section, "options.extras_require") == 0)
        add_requirement(r, value);
}

/* Reads `KEY = VALUE`, and the indented lines of the same key. */
static void read_setup(struct reading *r, struct span text)
{
    const char *line, *section = "", *key = "";
    while ((line = next_line(r->arena, &text))) {
        size_t equals = strcspn(line, "=:");
        if (*line == '[')
            section = arena_memdup(r->arena, line + 1, strcspn(line + 1, "]"));
        else if (isspace((unsigned char)*line))
            take_setup(r, section, key, trimmed(r->arena, line, strlen(line)));
        else if (*line && *line != '#' && *line != ';' && line[equals]) {
            key = trimmed(r->arena, line, equals);
            line += equals + 1;
            take_setup(r, section, key, trimmed(r->arena, line, strlen(line)));
        }
    }
}

/* ---------------------------------------------------------------- Dockerfile, .python-version */

/* "python:3.11-slim" is a Python, "pytorch/pytorch:2.4.1-cuda12.4" a package. */
static void take_image(struct reading *r, const char *image)
{
    const char *slash = strrchr(image, '/'), *name = slash ? slash + 1 : image;
    const char *colon = strchr(name, ':');
    if (strchr(image, '$') || !colon)
        return;
    const char *version = leading_version(r->arena, colon + 1);
    name = arena_memdup(r->arena, name, (size_t)(colon - name));
    if (strcmp(name, "python") == 0)
        add_python(r, version);
    else if (*version)
        add(r, FOUND_REQUIREMENT, NULL, arena_printf(r->arena, "%s==%s", name, version));
}

static void read_dockerfile(struct reading *r, struct span text)
{
    const char *line;
    while ((line = next_line(r->arena, &text))) {
        const char *at = line + strspn(line, " \t");
        if (strncasecmp(at, "FROM", 4) != 0 || !isspace((unsigned char)at[4]))
            continue;
        at += 4 + strspn(at + 4, " \t");
        if (str_starts(at, "--"))
            at += strcspn(at, " \t");
        at += strspn(at, " \t");
        take_image(r, arena_memdup(r->arena, at, strcspn(at, " \t")));
    }
}

static void read_python_version(struct reading *r, struct span text)
{
    const char *line = next_line(r->arena, &text);
    if (line)
        add_python(r, trimmed(r->arena, line, strlen(line)));
}

/* ---------------------------------------------------------------- environment.yml */

/* "CHANNEL::NAME=VERSION=BUILD"; one `=` matches every version that begins with VERSION. */
static void take_conda(struct reading *r, const char *text)
{
    const char *channel = strstr(text, "::");
    const char *item = channel ? channel + 2 : text;
    size_t len = strcspn(item, "=<>!~ ");
    const char *name = arena_memdup(r->arena, item, len), *spec = item + len;
    spec += strspn(spec, " ");
    if (*spec == '=' && spec[1] != '=') {
        const char *version = arena_memdup(r->arena, spec + 1, strcspn(spec + 1, "=*"));
        const char *first = strchr(version, '.'), *second = first ? strchr(first + 1, '.') : NULL;
        spec = arena_printf(r->arena, second && second[1] ? "==%s" : "==%s.*",
                            trimmed(r->arena, version, strlen(version) - str_ends(version, ".")));
    }
    if (strcmp(name, "python") != 0)
        add(r, FOUND_REQUIREMENT, NULL, arena_printf(r->arena, "%s%s", name, spec));
    else if (str_starts(spec, "=="))
        add_python(r, spec + 2);
    else
        add(r, FOUND_PYTHON, NULL, spec);
}

static const struct yaml_node *parse_yaml(struct reading *r, struct span text)
{
    ERR_SCRATCH(why);
    struct yaml_doc *doc;
    if (yaml_parse(&doc, r->arena, r->from, text, &why) < 0)
        warn(r, why.message);
    else if (doc->root && doc->root->kind == YAML_MAP)
        return doc->root;
    return NULL;
}

static void read_environment(struct reading *r, struct span text)
{
    const struct yaml_node *list = yaml_get(parse_yaml(r, text), "dependencies");
    for (size_t i = 0; list && list->kind == YAML_LIST && i < list->list.count; i++) {
        const struct yaml_node *item = list->list.items[i];
        const struct yaml_node *pip = item->kind == YAML_MAP ? yaml_get(item, "pip") : NULL;
        if (item->kind == YAML_SCALAR)
            take_conda(r, item->text.ptr);
        for (size_t j = 0; pip && pip->kind == YAML_LIST && j < pip->list.count; j++)
            if (pip->list.items[j]->kind == YAML_SCALAR)
                add_requirement(r, pip->list.items[j]->text.ptr);
    }
}

/* ---------------------------------------------------------------- other templates' answers */

/* Names in templates of cookiecutter and copier, and our names for the same. */
static const struct {
    const char *theirs, *ours;
} aliases[] = {{"project_name", "name"},
               {"project_slug", "name"},
               {"repo_name", "name"},
               {"package_name", "package"},
               {"project_slug", "package"},
               {"module_name", "package"},
               {"pkg_name", "package"},
               {"project_description", "description"},
               {"short_description", "description"},
               {"project_short_description", "description"}};

static void add_answer(struct reading *r, const char *name, const char *value)
{
    if (*name == '_') /* the tool's own */
        return;
    add(r, FOUND_ANSWER, name, value);
    for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
        if (strcmp(name, aliases[i].theirs) == 0)
            add(r, FOUND_ANSWER, aliases[i].ours, value);
    if (strcmp(name, "python_version") == 0)
        add_python(r, value);
}

static const char *data_as_text(struct arena *arena, const struct data *value)
{
    switch (value->kind) {
    case DATA_STR:
        return data_text(value);
    case DATA_BOOL:
        return value->boolean ? "true" : "false";
    case DATA_INT:
        return arena_printf(arena, "%lld", (long long)value->integer);
    default:
        return NULL;
    }
}

static struct data *parse_json(struct reading *r, struct span text)
{
    ERR_SCRATCH(why);
    struct data *root;
    if (json_parse(&root, r->arena, r->from, text, &why) == 0)
        return root;
    warn(r, why.message);
    return NULL;
}

static void add_context(struct reading *r, const struct data *context)
{
    for (size_t i = 0; context && context->kind == DATA_MAP && i < context->map.count; i++)
        add_answer(r, context->map.members[i].name.ptr,
                   data_as_text(r->arena, context->map.members[i].value));
}

static void read_cruft(struct reading *r, struct span text)
{
    add_context(r, data_get(data_get(parse_json(r, text), "context"), "cookiecutter"));
}

/* A template writes its answers as a map of its own, or below `cookiecutter`. */
static void read_cookiecutter(struct reading *r, struct span text)
{
    const struct data *root = parse_json(r, text), *below = data_get(root, "cookiecutter");
    add_context(r, below ? below : root);
}

static const char *node_as_text(struct arena *arena, const struct yaml_node *node)
{
    BUF_SCRATCH(text, LIMIT_ANSWER_BYTES);
    if (node->kind == YAML_SCALAR)
        return yaml_is_null(node) ? NULL : node->text.ptr;
    for (size_t i = 0; node->kind == YAML_LIST && i < node->list.count; i++)
        if (node->list.items[i]->kind == YAML_SCALAR)
            (void)buf_printf(&text, "%s%s", text.len ? "," : "", node->list.items[i]->text.ptr);
    return text.overflowed ? NULL : arena_strdup(arena, buf_text(&text));
}

static void read_copier(struct reading *r, struct span text)
{
    const struct yaml_node *root = parse_yaml(r, text);
    for (size_t i = 0; root && i < root->map.count; i++)
        add_answer(r, root->map.members[i].key->text.ptr,
                   node_as_text(r->arena, root->map.members[i].value));
}

/* ---------------------------------------------------------------- the files */

/* The most reliable first. */
static const struct {
    const char *start, *glob; /* matches paths that begin with `start` and match `glob` */
    void (*read)(struct reading *r, struct span text);
} files[] = {
    {".copier-answers", ".copier-answers*.yml", read_copier},
    {".cruft.json", ".cruft.json", read_cruft},
    {".cookiecutter.json", ".cookiecutter.json", read_cookiecutter},
    {"requirements", "requirements*.txt", read_requirements},
    {"requirements/", "requirements/*.txt", read_requirements},
    {"environment.y", "environment.y*ml", read_environment},
    {"pyproject.toml", "pyproject.toml", read_pyproject},
    {"setup.cfg", "setup.cfg", read_setup},
    {"Dockerfile", "Dockerfile*", read_dockerfile},
    {".python-version", ".python-version", read_python_version},
};
enum { FILES = sizeof(files) / sizeof(*files) };

static void read_file(struct reading *r, const struct plan_file *file, size_t row)
{
    ERR_SCRATCH(why);
    STORE_BYTES_SCRATCH(bytes);
    const struct store *store = r->child->repo.store;
    size_t size;
    r->from = file->path;
    if (!tree_entry_is_file(&file->entry) || file->nested)
        return;
    if (store_size(&size, store, &file->entry.id, file->path, &why) < 0 ||
        (size <= LIMIT_DOCUMENT_BYTES &&
         store_get(&bytes, store, STORE_BLOB, &file->entry.id, file->path, &why) < 0))
        warn(r, why.message);
    else if (size > LIMIT_DOCUMENT_BYTES)
        warn(r, arena_printf(r->arena, "it is larger than %zu bytes", LIMIT_DOCUMENT_BYTES));
    else if (!utf8_valid(bytes.bytes) ||
             (bytes.bytes.len && memchr(bytes.bytes.ptr, '\0', bytes.bytes.len)))
        warn(r, "it is no UTF-8");
    else
        files[row].read(r, bytes.bytes);
}

/* "src/NAME/__init__.py", or "NAME/__init__.py" unless NAME is a folder of tests. */
static void find_packages(struct reading *r)
{
    static const char *const globs[] = {"src/*/__init__.py", "*/__init__.py"};
    const struct plan_list *list = &r->child->files;
    for (size_t row = 0; row < 2; row++)
        for (size_t i = 0; i < list->count; i++) {
            const char *path = list->files[i].path;
            if (!str_ends(path, "/__init__.py") || !glob_match(globs[row], path))
                continue;
            const char *start = row ? path : path + strlen("src/");
            r->from = path;
            const char *name = arena_memdup(r->arena, start, strcspn(start, "/"));
            if (!str_starts(name, "test") && strcmp(name, "src") != 0)
                add(r, FOUND_ANSWER, "package", name);
        }
}

void adopt_read(struct clues *out, struct arena *arena, const struct child *child)
{
    struct reading r = {.out = out, .arena = arena, .child = child};
    const struct plan_list *list = &child->files;
    *out = (struct clues){0};
    for (size_t row = 0; row < FILES; row++) {
        size_t at = plan_list_lower_bound(list, files[row].start), read = 0;
        for (; at < list->count && str_starts(list->files[at].path, files[row].start); at++)
            if (read < FILES_MAX && glob_match(files[row].glob, list->files[at].path)) {
                read_file(&r, &list->files[at], row);
                read++;
            }
    }
    find_packages(&r);
}

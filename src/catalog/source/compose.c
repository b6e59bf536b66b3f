/* Merges a catalog with the one that it extends: `extends` and `overrides`, and the files. */
#include "catalog/source/source_files.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/changelog.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

int extension_read(struct extension *out, const struct yaml_node *yml, struct err *err)
{
    static const char *const keys[] = {"source", "ref", NULL};
    const struct yaml_node *overrides = yaml_get(yml, "overrides");
    *out = (struct extension){.node = yaml_get(yml, "extends")};
    if (!out->node)
        return overrides ? yaml_error(err, overrides, "'overrides' means nothing without 'extends'")
                         : 0;
    const struct yaml_node *ref = yaml_get(out->node, "ref");
    if (yaml_check_keys(out->node, keys, err) < 0 ||
        yaml_text(&out->source, yaml_get(out->node, "source"), "source", err) < 0 ||
        (ref && !yaml_is_null(ref) && yaml_text(&out->ref, ref, "ref", err) < 0))
        return -1;
    return out->source && *out->source ? 0 : yaml_error(err, out->node, "'source' is missing");
}

/* ---------------------------------------------------------------- the files of both */

struct composed {
    struct fileset set; /* must come first: the set is cast back */
    const struct fileset *own, *other;
    struct composed_place {
        const struct fileset *set;
        size_t index;
    } * places;
};

/* The state of merging. */
struct composing {
    struct arena *arena;
    const struct catalog *catalog;
    struct composed *files;
    struct fileset_entry *entries;
    struct words overrides;
    const struct yaml_node *node; /* `overrides`, else `extends` */
    bool *used, *known;           /* by override: replaces a file; matches one of the other's */
    const char *clash;            /* the first undeclared path that both have */
    size_t clashes;
    struct err *err;
};

static int composed_read(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct composed_place *place = &((const struct composed *)set)->places[index];
    return place->set->read(out, place->set, place->index, err);
}

static int add(struct composing *c, const struct fileset *set, size_t index)
{
    struct fileset *out = &c->files->set;
    if (out->count == LIMIT_TREE_ENTRIES)
        return err_set(c->err, TG_USAGE, "limit",
                       "the catalog has more than %zu files, with those of '%s', which it extends",
                       LIMIT_TREE_ENTRIES, c->catalog->extends->name);
    c->entries[out->count] = set->entries[index];
    c->files->places[out->count++] = (struct composed_place){set, index};
    return 0;
}

/* Files that each catalog keeps to itself, because they describe its version. */
static bool stays_apart(const char *path)
{
    return strcmp(path, "catalog.yml") == 0 || strcmp(path, CHANGELOG_PATH) == 0;
}

/* Whether a templates/TYPE/template.yml with `extends: TYPE` extends the other one, which stays. */
static int adds_to_same(bool *out, struct composing *c, const char *path)
{
    static const char head[] = "templates/", tail[] = "/template.yml";
    size_t ends = strlen(head) + strlen(tail);
    const char *extended = NULL;
    struct yaml_doc *doc;
    *out = false;
    if (!str_starts(path, head) || !str_ends(path, tail) || strlen(path) <= ends)
        return 0;
    struct span type = span_of(path + strlen(head), strlen(path) - ends);
    if (fileset_document(&doc, c->arena, c->files->own, path, c->err) < 0)
        return -1;
    if (doc->root && doc->root->kind == YAML_MAP &&
        yaml_text(&extended, yaml_get(doc->root, "extends"), "extends", c->err) < 0)
        return -1;
    *out = extended && span_equal(span_from(extended), type);
    return 0;
}

/* Marks the overrides that match; tells whether any does. */
static bool mark(struct composing *c, bool *marks, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < c->overrides.count; i++)
        if (budget_glob(c->overrides.items[i], path))
            found = marks[i] = true;
    return found;
}

static int replace(struct composing *c, size_t index)
{
    const char *path = c->files->own->entries[index].path;
    bool adds;
    if (!stays_apart(path) && !mark(c, c->used, path)) {
        if (adds_to_same(&adds, c, path) < 0)
            return -1;
        if (!adds && c->clashes++ == 0)
            c->clash = path;
    }
    return add(c, c->files->own, index);
}

/* Merges the two sorted sets into a sorted one. */
static int join(struct composing *c)
{
    const struct fileset *own = c->files->own, *other = c->files->other;
    size_t i = 0, j = 0;
    int rc = 0;
    while (rc == 0 && (i < own->count || j < other->count)) {
        int order = i == own->count     ? 1
                    : j == other->count ? -1
                                        : strcmp(own->entries[i].path, other->entries[j].path);
        if (order >= 0)
            (void)mark(c, c->known, other->entries[j].path);
        if (order == 0)
            rc = replace(c, i);
        else if (order < 0)
            rc = add(c, own, i);
        else if (!stays_apart(other->entries[j].path))
            rc = add(c, other, j);
        i += order <= 0;
        j += order >= 0;
    }
    return rc < 0 ? -1 : budget_steps(0, c->err);
}

/* ---------------------------------------------------------------- overrides */

static int read_overrides(struct composing *c)
{
    const struct yaml_node *node = yaml_get(c->catalog->yml, "overrides");
    c->node = node ? node : yaml_get(c->catalog->yml, "extends");
    if (node && node->kind == YAML_LIST && node->list.count > LIMIT_GLOBS)
        return yaml_over_limit(c->err, node, node->list.count, "overrides", LIMIT_GLOBS);
    if (yaml_texts(&c->overrides, c->arena, node, "overrides", c->err) < 0)
        return -1;
    c->used = arena_array(c->arena, c->overrides.count + 1, sizeof(*c->used));
    c->known = arena_array(c->arena, c->overrides.count + 1, sizeof(*c->known));
    return 0;
}

static int refuse_clash(const struct composing *c)
{
    const char *more =
        c->clashes > 1 ? arena_printf(c->arena, ", and %zu more like it", c->clashes - 1) : "";
    (void)yaml_error(c->err, c->node, "'%s' is in this catalog and in '%s', which it extends%s",
                     c->clash, c->catalog->extends->name, more);
    c->err->code = "path-clash";
    return err_hint(c->err, "add \"%s\" to 'overrides' to replace it, or give it another name",
                    glob_of_path(c->arena, c->clash));
}

static int check_overrides(const struct composing *c)
{
    for (size_t i = 0; i < c->overrides.count; i++) {
        const struct yaml_node *node = c->node->list.items[i];
        if (!c->known[i])
            return yaml_error(c->err, node, "'%s' overrides nothing: '%s' has no such file",
                              c->overrides.items[i], c->catalog->extends->name);
        if (!c->used[i])
            return yaml_error(c->err, node,
                              "'%s' overrides nothing: this catalog has no file that replaces one "
                              "of '%s'",
                              c->overrides.items[i], c->catalog->extends->name);
    }
    return c->clashes ? refuse_clash(c) : 0;
}

int compose(struct catalog *catalog, struct arena *arena, struct err *err)
{
    const struct fileset *own = catalog->files, *other = catalog->extends->files;
    size_t count = own->count + other->count;
    struct composing c = {.arena = arena,
                          .catalog = catalog,
                          .files = arena_alloc(arena, sizeof(*c.files)),
                          .entries = arena_array(arena, count + 1, sizeof(*c.entries)),
                          .err = err};
    *c.files = (struct composed){{c.entries, 0, composed_read},
                                 own,
                                 other,
                                 arena_array(arena, count + 1, sizeof(*c.files->places))};
    if (read_overrides(&c) < 0 || join(&c) < 0 || check_overrides(&c) < 0)
        return -1;
    catalog->own = own;
    catalog->files = &c.files->set;
    return 0;
}

size_t compose_depth(const struct catalog *catalog, const char *path)
{
    size_t depth = 0;
    for (; catalog->extends && fileset_find(catalog->own, path) < 0; catalog = catalog->extends)
        depth++;
    return depth;
}

/* Merges the manifests of types that extend each other. */
#include "catalog/manifest/manifest_parts.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/source/source_files.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

/* ---------------------------------------------------------------- merging mappings */

/* The name of a question, or NULL if it is malformed: reading the questions reports that. */
static const char *name_of(const struct yaml_node *question)
{
    const struct yaml_node *name = question->kind == YAML_MAP ? yaml_get(question, "name") : NULL;
    return name && name->kind == YAML_SCALAR ? name->text.ptr : NULL;
}

/* Merges a question into the one of the same name, in place; appends new ones. */
static struct yaml_node *join_questions(struct arena *arena, const struct yaml_node *base,
                                        const struct yaml_node *own)
{
    struct yaml_node *out = yaml_join_lists(arena, base, own), **items = out->list.items;
    struct intern names = {0};
    size_t *at = arena_array(arena, base->list.count + 1, sizeof(*at)), count = base->list.count;
    bool *joined = arena_array(arena, base->list.count + 1, sizeof(*joined));
    for (size_t i = 0; i < base->list.count; i++) {
        const char *name = name_of(items[i]);
        size_t known = names.count;
        if (name && intern_add(&names, arena, span_from(name)) == known)
            at[known] = i;
    }
    for (size_t i = 0; i < own->list.count; i++) {
        struct yaml_node *question = own->list.items[i];
        const char *name = name_of(question);
        size_t number = name ? intern_find(&names, span_from(name)) : INTERN_NONE;
        if (number == INTERN_NONE || joined[number]) {
            items[count++] = question;
            continue;
        }
        joined[number] = true;
        items[at[number]] = yaml_join_maps(arena, question, items[at[number]]);
    }
    out->list.count = count;
    return out;
}

static struct yaml_node *join_values(struct arena *arena, const char *key,
                                     const struct yaml_node *base, struct yaml_node *own)
{
    if (base->kind != YAML_LIST || own->kind != YAML_LIST)
        return own;
    return strcmp(key, "questions") == 0 ? join_questions(arena, base, own)
                                         : yaml_join_lists(arena, base, own);
}

/* Keys with rules for the type's own files; another type's folder has its own rules. */
static bool is_of_files(const char *key)
{
    static const char *const keys[] = {"files", "delimiters", "overrides"};
    return str_is_among(key, keys, sizeof(keys) / sizeof(*keys));
}

static const struct yaml_node *join_manifests(struct arena *arena, const struct yaml_node *base,
                                              const struct yaml_node *own, bool same)
{
    struct yaml_node *out = yaml_join_maps(arena, own, base);
    size_t count = 0;
    for (size_t i = 0; i < out->map.count; i++) {
        struct yaml_member member = out->map.members[i];
        const char *key = member.key->text.ptr;
        bool inherits = same || !is_of_files(key), said = yaml_get(own, key) != NULL;
        const struct yaml_node *below = inherits ? yaml_get(base, key) : NULL;
        if (strcmp(key, "extends") == 0 || (!inherits && !said))
            continue;
        if (said && below)
            member.value = join_values(arena, key, below, member.value);
        out->map.members[count++] = member;
    }
    out->map.count = count;
    return out;
}

/* ---------------------------------------------------------------- from type to type */

/* A type in a chain of types that extend each other. */
struct type_step {
    const struct catalog *catalog; /* that has the file */
    size_t depth;
    const char *type;
    const struct type_step *above;
};

struct extending {
    struct arena *arena;
    struct extended_type *out;
    const struct catalog *catalog; /* the outermost one */
    struct err *err;
};

static const char *path_of(struct arena *arena, const char *type)
{
    return arena_printf(arena, "templates/%s/template.yml", type);
}

/* Finds the catalog, from `from` downwards, that has the type; false if none does. */
static bool find_type(struct type_step *out, const struct extending *e, const struct catalog *from,
                      size_t depth, const char *type)
{
    const char *path = path_of(e->arena, type);
    if (!from || strchr(type, '/') || *type == '_' || fileset_find(from->files, path) < 0)
        return false;
    size_t below = compose_depth(from, path);
    *out = (struct type_step){.catalog = from, .depth = depth + below, .type = type};
    while (below-- > 0)
        out->catalog = out->catalog->extends;
    return true;
}

static void add_document(struct extending *e, const struct type_step *step,
                         const struct yaml_doc *doc)
{
    struct extended_type *out = e->out;
    arena_push(e->arena, out->documents, out->document_count) =
        (struct extended_document){doc, step->depth};
}

/* Prefixes the catalog's name if another catalog hides the file. */
static int load(struct yaml_doc **doc, struct extending *e, const struct type_step *step)
{
    const char *path = path_of(e->arena, step->type);
    if (fileset_document(doc, e->arena, step->catalog->files, path, e->err) < 0)
        return -1;
    if (compose_depth(e->catalog, path) != step->depth)
        (*doc)->name = arena_printf(e->arena, "%s:%s", step->catalog->name, path);
    return (*doc)->root && (*doc)->root->kind == YAML_MAP
               ? 0
               : err_set(e->err, TG_USAGE, "invalid", "'%s' is no mapping", (*doc)->name);
}

static int unknown_type(const struct extending *e, const struct yaml_node *node, const char *type,
                        bool same)
{
    const char **types;
    size_t count = catalog_types(&types, e->arena, e->catalog->files);
    const char *nearest = str_nearest(type, types, count);
    if (same)
        return yaml_error(e->err, node, "'%s' extends itself: no catalog below has such a type",
                          type);
    (void)yaml_error(e->err, node, "the catalog has no type '%s'", type);
    return nearest ? err_hint(e->err, "did you mean '%s'?", nearest) : -1;
}

static int check_steps(const struct extending *e, const struct type_step *step,
                       const struct yaml_node *node)
{
    size_t count = 1;
    for (const struct type_step *above = step->above; above; above = above->above, count++)
        if (above->catalog == step->catalog && strcmp(above->type, step->type) == 0)
            return yaml_error(e->err, node, "'%s' extends itself, in a circle", step->type);
    return count <= 2 * LIMIT_CATALOGS
               ? 0
               : yaml_over_limit(e->err, node, count, "types that extend each other",
                                 2 * LIMIT_CATALOGS);
}

static int extend(const struct yaml_node **root, struct extending *e, const struct type_step *step)
{
    const struct yaml_node *own = *root, *node = yaml_get(own, "extends");
    const char *name = NULL;
    struct yaml_doc *doc;
    struct type_step next;
    if (yaml_text(&name, node, "extends", e->err) < 0)
        return -1;
    if (!name) {
        e->out->kind = step->type;
        return 0;
    }
    bool same = strcmp(name, step->type) == 0;
    bool found = same ? find_type(&next, e, step->catalog->extends, step->depth + 1, name)
                      : find_type(&next, e, e->catalog, 0, name);
    if (!found)
        return unknown_type(e, node, name, same);
    next.above = step;
    if (check_steps(e, &next, node) < 0 || load(&doc, e, &next) < 0)
        return -1;
    const struct yaml_node *base = doc->root;
    add_document(e, &next, doc);
    if (extend(&base, e, &next) < 0)
        return -1;
    if (!same)
        arena_push(e->arena, e->out->lent, e->out->lent_count) = (struct lent_files){name, base};
    *root = join_manifests(e->arena, base, own, same);
    return budget_steps(0, e->err);
}

int manifest_extend(struct extended_type *out, const struct yaml_node **root, struct arena *arena,
                    const struct catalog *catalog, const char *type, struct err *err)
{
    struct extending e = {arena, out, catalog, err};
    struct type_step step;
    *out = (struct extended_type){.kind = type};
    if (!find_type(&step, &e, catalog, 0, type))
        return 0;
    add_document(&e, &step, (*root)->doc);
    return extend(root, &e, &step);
}

/* ---------------------------------------------------------------- sources of values */

size_t manifest_depth(const struct extended_type *extended, const struct catalog *catalog,
                      const struct yaml_node *node)
{
    for (size_t i = 0; i < extended->document_count; i++)
        if (extended->documents[i].doc == node->doc)
            return extended->documents[i].depth;
    return compose_depth(catalog, node->doc->name);
}

const struct yaml_node *manifest_default(const struct extended_type *extended,
                                         const struct catalog *catalog, const char *name,
                                         const struct yaml_node *said)
{
    size_t depth = manifest_depth(extended, catalog, said);
    for (size_t i = 0; catalog && i <= depth; i++, catalog = catalog->extends) {
        const struct yaml_node *value = yaml_get(yaml_get(catalog->yml, "defaults"), name);
        if (value)
            return value;
    }
    return NULL;
}

/* Rows that a catalog adds to the files of another catalog. */
#include "matrix/read/fields.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/str.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

#define ADDED_FOLDER "matrices/rows/"

const char *const overlay_keys[] = {"sources",   "texts",  "cuda",       "drivers",  "gpus",
                                    "platforms", "images", "frameworks", "packages", NULL};

/* Rows for a file that does not exist would never be read. */
static int check_names(const struct yaml_node *root, const char *key, const char *folder,
                       struct arena *arena, const struct fileset *files, struct err *err)
{
    const struct yaml_node *names = yaml_get(root, key);
    if (!names)
        return 0;
    if (names->kind != YAML_MAP)
        return yaml_error(err, names, "'%s' must be a mapping", key);
    for (size_t i = 0; i < names->map.count; i++) {
        const struct yaml_node *name = names->map.members[i].key;
        const char *path = arena_printf(arena, "%s%s.yml", folder, name->text.ptr);
        if (fileset_find(files, path) < 0)
            return yaml_error(err, name, "there is no '%s' to add rows to", path);
    }
    return 0;
}

int added_read(struct added_rows *out, struct arena *arena, const struct fileset *files,
               struct err *err)
{
    *out = (struct added_rows){0};
    for (size_t i = fileset_lower_bound(files, ADDED_FOLDER);
         i < files->count && str_starts(files->entries[i].path, ADDED_FOLDER); i++) {
        struct yaml_doc *doc;
        if (!str_ends(files->entries[i].path, ".yml"))
            continue;
        if (fileset_document(&doc, arena, files, files->entries[i].path, err) < 0)
            return -1;
        if (!doc->root)
            continue;
        if (yaml_check_keys(doc->root, overlay_keys, err) < 0 ||
            check_names(doc->root, "frameworks", FRAMEWORKS_FOLDER, arena, files, err) < 0 ||
            check_names(doc->root, "packages", PACKAGES_FOLDER, arena, files, err) < 0)
            return -1;
        arena_push(arena, out->roots, out->count) = doc->root;
    }
    return 0;
}

static const struct yaml_node *part_of(const struct yaml_node *root, const char *key,
                                       const char *name)
{
    const struct yaml_node *part = yaml_get(root, key);
    return name ? yaml_get(part, name) : part;
}

bool added_has(const struct added_rows *added, const char *key, const char *name)
{
    for (size_t i = 0; i < added->count; i++)
        if (part_of(added->roots[i], key, name))
            return true;
    return false;
}

/* Sets the value of `key` in `map`. */
static void put(struct yaml_node *map, struct yaml_node *key, struct yaml_node *value)
{
    size_t i = 0;
    while (i < map->map.count && strcmp(map->map.members[i].key->text.ptr, key->text.ptr) != 0)
        i++;
    map->map.members[i] = (struct yaml_member){key, value};
    map->map.count += i == map->map.count;
}

static int add_section(struct yaml_node *out, struct arena *arena, const struct document *document,
                       const struct yaml_member *member, struct err *err)
{
    const struct yaml_node *there = yaml_get(out, member->key->text.ptr);
    if (!section_find(document->sections, member->key->text))
        return yaml_error(err, member->key, "'%s' is no list of rows: only rows can be added",
                          member->key->text.ptr);
    if (member->value->kind != YAML_LIST)
        return yaml_error(err, member->value, "'%s' must be a list of rows", member->key->text.ptr);
    bool joins = there && there->kind == YAML_LIST;
    put(out, member->key, joins ? yaml_join_lists(arena, there, member->value) : member->value);
    return 0;
}

/* The content of the tables is checked when rows are read. */
static int add_table(struct yaml_node *out, struct arena *arena, const struct yaml_node *root,
                     const char *name, struct err *err)
{
    struct yaml_node *table = yaml_get(root, name), *there = yaml_get(out, name);
    for (size_t i = 0; table && i < root->map.count; i++) {
        struct yaml_member *member = &root->map.members[i];
        if (member->value != table)
            continue;
        bool joins = there && there->kind == YAML_MAP && table->kind == YAML_MAP;
        struct yaml_node *joined = joins ? yaml_join_maps(arena, there, table) : table;
        size_t taken = joins ? there->map.count + table->map.count - joined->map.count : 0;
        if (taken && budget_steps(0, err) == 0)
            return yaml_error(err, member->key,
                              "%zu of these names are taken in the file that rows are added to",
                              taken);
        put(out, member->key, joined);
    }
    return 0;
}

static int add(const struct yaml_node **root, struct arena *arena, const struct document *document,
               const struct yaml_node *more, const struct yaml_node *part, struct err *err)
{
    struct yaml_node *out = arena_alloc(arena, sizeof(*out));
    if (part->kind != YAML_MAP)
        return yaml_error(err, part, "must be a mapping of lists of rows");
    *out = **root;
    out->map.members =
        arena_array(arena, (*root)->map.count + part->map.count + 2, sizeof(*out->map.members));
    memcpy(out->map.members, (*root)->map.members, (*root)->map.count * sizeof(*out->map.members));
    for (size_t i = 0; i < part->map.count; i++)
        if (add_section(out, arena, document, &part->map.members[i], err) < 0)
            return -1;
    *root = out;
    return add_table(out, arena, more, "sources", err) < 0 ||
                   add_table(out, arena, more, "texts", err) < 0
               ? -1
               : budget_steps(0, err);
}

int added_join(const struct yaml_node **root, struct arena *arena, const struct added_rows *added,
               const struct document *document, const char *key, const char *name, struct err *err)
{
    for (size_t i = 0; i < added->count; i++) {
        const struct yaml_node *part = part_of(added->roots[i], key, name);
        if (part && (*root)->kind == YAML_MAP &&
            add(root, arena, document, added->roots[i], part, err) < 0)
            return -1;
    }
    return 0;
}

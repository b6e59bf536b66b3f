/* Can the migrations of a template be applied, and do they make sense? */
#include "catalog/manifest.h"

#include "base/arena.h"
#include "data/yaml.h"
#include "io/path.h"
#include "matrix/version.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- what can be applied */

static int check_from(struct arena *arena, const struct migration *migration, struct err *err)
{
    const struct yaml_node *node = yaml_get(migration->node, "from");
    struct spec spec;
    ERR_SCRATCH(inner);
    if (spec_parse(&spec, arena, migration->from, "from", &inner) == 0 && spec.count)
        return 0;
    return yaml_error(err, node, "'from' must be a SPEC such as \"<2\", not '%s'", migration->from);
}

static int check_path(const char *path, const struct yaml_node *node, struct err *err)
{
    ERR_SCRATCH(inner);
    return path_check(path, &inner) < 0 ? yaml_error(err, node, "%s", inner.message) : 0;
}

static int check_paths(const struct migration *migration, struct err *err)
{
    const struct yaml_node *map = yaml_get(migration->node, "rename_files");
    for (size_t i = 0; i < migration->rename_files.count; i++)
        if (check_path(migration->rename_files.old[i], map->map.members[i].key, err) < 0 ||
            check_path(migration->rename_files.new[i], map->map.members[i].value, err) < 0)
            return -1;
    return 0;
}

int migrations_check(struct arena *arena, const struct manifest *manifest, struct err *err)
{
    for (size_t i = 0; i < manifest->migration_count; i++)
        if (check_from(arena, &manifest->migrations[i], err) < 0 ||
            check_paths(&manifest->migrations[i], err) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- names of answers */

/* A name that an answer may have before the migration number `before`. */
struct known_name {
    const char *name;
    size_t before; /* SIZE_MAX: at last, too */
};

struct known_names {
    struct known_name *items;
    size_t count;
};

/* By name; of one name, the one that is known longest first. */
static int compare_known(const void *a, const void *b)
{
    const struct known_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->before < y->before) - (x->before > y->before);
}

static void add_known(struct known_names *known, const char *const *names, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++)
        known->items[known->count++] = (struct known_name){names[i], at};
}

static struct known_names list_known(struct arena *arena, const struct manifest *manifest)
{
    size_t count = manifest->question_count, kept = 0;
    for (size_t i = 0; i < manifest->migration_count; i++)
        count += manifest->migrations[i].rename_answers.count + manifest->migrations[i].drop_count;
    struct known_names known = {arena_array(arena, count + 1, sizeof(*known.items)), 0};
    for (size_t i = 0; i < manifest->question_count; i++)
        add_known(&known, &manifest->questions[i].name, 1, SIZE_MAX);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *migration = &manifest->migrations[i];
        add_known(&known, migration->rename_answers.old, migration->rename_answers.count, i);
        add_known(&known, migration->drop_answers, migration->drop_count, i);
    }
    qsort(known.items, known.count, sizeof(*known.items), compare_known);
    for (size_t i = 0; i < known.count; i++)
        if (i == 0 || strcmp(known.items[i].name, known.items[kept - 1].name) != 0)
            known.items[kept++] = known.items[i];
    known.count = kept;
    return known;
}

static int compare_name(const void *name, const void *known)
{
    return strcmp(name, ((const struct known_name *)known)->name);
}

static bool is_known_after(const struct known_names *known, const char *name, size_t migration)
{
    const struct known_name *found =
        bsearch(name, known->items, known->count, sizeof(*known->items), compare_name);
    return found && found->before > migration;
}

static int check_answers(const struct known_names *known, const struct manifest *manifest,
                         size_t number, struct err *err)
{
    const struct migration *migration = &manifest->migrations[number];
    const struct yaml_node *map = yaml_get(migration->node, "rename_answers");
    for (size_t i = 0; i < migration->rename_answers.count; i++) {
        const char *name = migration->rename_answers.new[i];
        if (!is_known_after(known, name, number))
            return yaml_error(err, map->map.members[i].value,
                              "there is no question '%s', and no later migration renames or drops "
                              "the answer",
                              name);
    }
    return 0;
}

/* ---------------------------------------------------------------- one name for each */

struct renamed {
    const char *new;
    size_t at;
};

static int compare_renamed(const void *a, const void *b)
{
    const struct renamed *x = a, *y = b;
    int order = strcmp(x->new, y->new);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* `map` is what `count` names are renamed to, in its order. */
static int check_one_each(struct arena *arena, const struct yaml_node *map, const char *const *old,
                          const char *const *new, size_t count, struct err *err)
{
    struct renamed *sorted = arena_array(arena, count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct renamed){new[i], i};
        if (strcmp(old[i], new[i]) == 0)
            return yaml_error(err, map->map.members[i].value, "'%s' is renamed to itself", old[i]);
    }
    qsort(sorted, count, sizeof(*sorted), compare_renamed);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1].new, sorted[i].new) == 0)
            return yaml_error(err, map->map.members[sorted[i].at].value,
                              "'%s' and '%s' are both renamed to '%s'", old[sorted[i - 1].at],
                              old[sorted[i].at], new[sorted[i].at]);
    return 0;
}

int migrations_check_names(struct arena *arena, const struct manifest *manifest, struct err *err)
{
    struct known_names known = list_known(arena, manifest);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *m = &manifest->migrations[i];
        if (check_one_each(arena, yaml_get(m->node, "rename_answers"), m->rename_answers.old,
                           m->rename_answers.new, m->rename_answers.count, err) < 0 ||
            check_one_each(arena, yaml_get(m->node, "rename_files"), m->rename_files.old,
                           m->rename_files.new, m->rename_files.count, err) < 0 ||
            check_answers(&known, manifest, i, err) < 0)
            return -1;
    }
    return 0;
}

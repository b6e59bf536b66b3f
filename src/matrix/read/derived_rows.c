/* Rows that state only their differences from another row. */
#include "matrix/read/fields.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/yaml.h"
#include "matrix/facts.h"

#include <stdlib.h>
#include <string.h>

#define LIKE "like"
#define CHAIN_MAX 8 /* rows in a chain of `like`, which readers must follow, too */

struct named_row {
    const char *name;
    const char *same; /* "" if the name is unique */
    const struct yaml_node *node;
};

/* The rows visited so far, the last one first. */
struct chain {
    const struct yaml_node *row;
    const struct chain *up;
    size_t length;
};

static const char *scalar(const struct yaml_node *map, const char *name)
{
    const struct yaml_node *node = name ? yaml_get(map, name) : NULL;
    return node && node->kind == YAML_SCALAR ? node->text.ptr : "";
}

static int by_name(const void *a, const void *b)
{
    const struct named_row *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->same, y->same);
}

/* The names of a row: its key, or its words in a section without a key. */
static struct words names_of(struct arena *arena, const struct section *section,
                             const struct yaml_node *row)
{
    const char *text = scalar(row, section->key ? section->key : section->words);
    struct words names;
    if (!section->key)
        return words_read(arena, text);
    names = (struct words){arena_array(arena, 1, sizeof *names.items), 1};
    names.items[0] = text;
    return names;
}

static void sort_rows(struct named_rows *named, struct arena *arena)
{
    size_t rows = named->list ? named->list->list.count : 0, room = 1;
    struct words *names = arena_array(arena, rows + 1, sizeof *names);
    for (size_t i = 0; i < rows; i++) {
        names[i] = names_of(arena, named->section, named->list->list.items[i]);
        room += names[i].count;
    }
    named->rows = arena_array(arena, room, sizeof *named->rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < names[i].count; j++)
            named->rows[named->count++] = (struct named_row){
                names[i].items[j], scalar(named->list->list.items[i], named->section->same),
                named->list->list.items[i]};
    qsort(named->rows, named->count, sizeof *named->rows, by_name);
}

static const struct yaml_node *find(struct named_rows *named, struct arena *arena, const char *name,
                                    const char *same)
{
    const struct named_row wanted = {name, same, NULL};
    if (!named->rows)
        sort_rows(named, arena);
    const struct named_row *row =
        bsearch(&wanted, named->rows, named->count, sizeof *named->rows, by_name);
    return row ? row->node : NULL;
}

/* Whether a row takes that key from the row in its `like`. */
static bool inherits(const struct yaml_node *map, const struct span key)
{
    for (const struct field *fact = fact_fields; fact->name; fact++)
        if (span_equal(key, span_from(fact->name)))
            return false;
    return !yaml_get(map, key.ptr);
}

/* `map` without `like`, with the missing keys of `full`. */
static const struct yaml_node *join(struct arena *arena, const struct yaml_node *map,
                                    const struct yaml_node *full)
{
    struct yaml_node *joined = arena_alloc(arena, sizeof *joined);
    *joined = *map;
    joined->map.count = 0;
    joined->map.members =
        arena_array(arena, map->map.count + full->map.count, sizeof *joined->map.members);
    for (size_t i = 0; i < map->map.count; i++)
        if (!span_equal(map->map.members[i].key->text, span_from(LIKE)))
            joined->map.members[joined->map.count++] = map->map.members[i];
    for (size_t i = 0; i < full->map.count; i++)
        if (inherits(map, full->map.members[i].key->text))
            joined->map.members[joined->map.count++] = full->map.members[i];
    return joined;
}

static int refuse_unknown(const struct section *section, const struct yaml_node *node,
                          const char *name, const char *same, struct err *err)
{
    if (section->key)
        return yaml_error(err, node, LIKE ": no row of %s %s", section->key, name);
    return yaml_error(err, node, LIKE ": no row of %s %s and %s %s", section->words, name,
                      section->same, *same ? same : "(none is said)");
}

static int refuse_round(const struct chain *chain, const struct yaml_node *target,
                        const struct yaml_node *node, struct err *err)
{
    if (chain->row == target)
        return yaml_error(err, node, LIKE ": a row is not like itself");
    for (const struct chain *c = chain; c; c = c->up)
        if (c->row == target)
            return yaml_error(err, node, LIKE ": these rows are like each other in a circle");
    return chain->length >= CHAIN_MAX
               ? yaml_error(err, node, LIKE ": more than %d rows from one to the next", CHAIN_MAX)
               : 0;
}

static int expand(const struct yaml_node **out, struct arena *arena, struct named_rows *own,
                  struct named_rows *curated, const struct chain *chain, struct err *err)
{
    const struct section *section = own->section;
    const struct yaml_node *map = chain->row, *node = yaml_get(map, LIKE), *full;
    const char *name = "", *same = scalar(map, section->same);
    struct named_rows nothing = {.section = section};
    *out = map;
    if (!node)
        return 0;
    if (yaml_text(&name, node, LIKE, err))
        return -1;
    const struct yaml_node *target = find(own, arena, name, same);
    /* A row of an overlay may be like the row that it replaces. */
    bool below = (!target || target == map) && find(curated, arena, name, same);
    if (below)
        target = find(curated, arena, name, same);
    if (!target)
        return refuse_unknown(section, node, name, same, err);
    const struct chain next = {target, chain, chain->length + 1};
    if (refuse_round(chain, target, node, err) ||
        expand(&full, arena, below ? curated : own, below ? &nothing : curated, &next, err))
        return -1;
    *out = join(arena, map, full);
    return 0;
}

int derived_rows_expand(const struct yaml_node **out, struct arena *arena, struct named_rows *own,
                        struct named_rows *curated, const struct yaml_node *map, struct err *err)
{
    const struct chain start = {map, NULL, 1};
    return expand(out, arena, own, curated, &start, err);
}

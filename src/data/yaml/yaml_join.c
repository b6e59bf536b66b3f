/* Two nodes as one: of documents that add to each other. */
#include "data/yaml.h"

#include "base/arena.h"
#include "base/budget.h"

#include <string.h>

static struct yaml_node *node_like(struct arena *arena, const struct yaml_node *like)
{
    struct yaml_node *node = arena_alloc(arena, sizeof(*node));
    *node = *like;
    return node;
}

struct yaml_node *yaml_join_maps(struct arena *arena, const struct yaml_node *first,
                                 const struct yaml_node *second)
{
    struct yaml_node *out = node_like(arena, first);
    size_t count = first->map.count;
    if (!budget_try_steps(count * second->map.count))
        return out;
    out->map.members = arena_array(arena, count + second->map.count + 1, sizeof(*out->map.members));
    if (count)
        memcpy(out->map.members, first->map.members, count * sizeof(*out->map.members));
    for (size_t i = 0; i < second->map.count; i++)
        if (!yaml_get(first, second->map.members[i].key->text.ptr))
            out->map.members[count++] = second->map.members[i];
    out->map.count = count;
    return out;
}

struct yaml_node *yaml_join_lists(struct arena *arena, const struct yaml_node *first,
                                  const struct yaml_node *second)
{
    struct yaml_node *out = node_like(arena, second);
    size_t count = first->list.count, all = count + second->list.count;
    out->list.items = arena_array(arena, all + 1, sizeof(*out->list.items));
    out->list.count = all;
    if (count)
        memcpy(out->list.items, first->list.items, count * sizeof(*out->list.items));
    if (second->list.count)
        memcpy(out->list.items + count, second->list.items,
               second->list.count * sizeof(*out->list.items));
    return out;
}

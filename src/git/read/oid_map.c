/* Looks things up by object id. */
#include "git/oid_map.h"

#include "base/arena.h"
#include "git/tree_entry.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_FIRST = 128 };

struct oid_slot {
    struct oid id;
    bool taken;
    size_t number;
};

/* Open addressing, never more than half full. Ids are hashes: their first bytes spread well. */
static struct oid_slot *slot_of(const struct oid_map *map, const struct oid *id)
{
    size_t at;
    memcpy(&at, id->id, sizeof(at));
    at &= map->size - 1;
    while (map->slots[at].taken && !oid_equal(&map->slots[at].id, id))
        at = (at + 1) & (map->size - 1);
    return &map->slots[at];
}

static void grow(struct oid_map *map)
{
    struct oid_map larger = {.count = map->count, .size = map->size ? map->size * 2 : SIZE_FIRST};
    larger.slots = xmalloc(larger.size * sizeof(*larger.slots));
    memset(larger.slots, 0, larger.size * sizeof(*larger.slots));
    for (size_t i = 0; i < map->size; i++)
        if (map->slots[i].taken)
            *slot_of(&larger, &map->slots[i].id) = map->slots[i];
    free(map->slots);
    *map = larger;
}

bool oid_map_find(size_t *number, const struct oid_map *map, const struct oid *id)
{
    const struct oid_slot *slot = map->size ? slot_of(map, id) : NULL;
    if (!slot || !slot->taken)
        return false;
    *number = slot->number;
    return true;
}

bool oid_map_add(struct oid_map *map, const struct oid *id, size_t number)
{
    if (map->count * 2 >= map->size)
        grow(map);
    struct oid_slot *slot = slot_of(map, id);
    if (slot->taken)
        return false;
    *slot = (struct oid_slot){*id, true, number};
    map->count++;
    return true;
}

void oid_map_release(struct oid_map *map)
{
    free(map->slots);
    *map = (struct oid_map){0};
}

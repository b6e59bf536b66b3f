/* Finds things by an object's id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct oid;

/* From ids to numbers, such as places in an array. Starts zeroed; nothing is ever taken out. */
struct oid_map {
    struct oid_slot *slots;
    size_t count, size;
};

/* False where the id has no number. */
bool oid_map_find(size_t *number, const struct oid_map *map, const struct oid *id);
/* Gives the id that number; false, and nothing changed, where it has one already. */
bool oid_map_add(struct oid_map *map, const struct oid *id, size_t number);
void oid_map_release(struct oid_map *map);

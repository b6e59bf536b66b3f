/* Looks things up by object id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct oid;

/* Maps ids to numbers, such as array indexes. Zero-initialized; entries are never removed. */
struct oid_map {
    struct oid_slot *slots;
    size_t count, size;
};

/* False if the id has no number. */
bool oid_map_find(size_t *number, const struct oid_map *map, const struct oid *id);
/* Maps the id to the number; false, without a change, if it has one already. */
bool oid_map_add(struct oid_map *map, const struct oid *id, size_t number);
void oid_map_release(struct oid_map *map);

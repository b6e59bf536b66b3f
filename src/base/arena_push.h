/* One item more behind others in an arena. */
#pragma once

#include "base/arena.h"

/*
 * Makes room behind `count` items as arena_grow does, counts the new one and is its address.
 * `items` and `count` are variables.
 */
#define ARENA_PUSH(arena, items, count)                                                            \
    ((items) = arena_grow(arena, (void *)(items), count, sizeof(*(items))), &(items)[(count)++])

/* Distinct texts numbered in the order in which they are seen first, for lookups by name. */
#pragma once

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

struct intern_node;

/*
 * Zeroed at first. No texts, however chosen, make it slow: a lookup looks at each bit of its text
 * once at most. The texts stay where they are: their owner keeps them as long as this.
 */
struct intern {
    const struct span *texts; /* by number */
    size_t count;
    struct intern_node *nodes;
    uint32_t root;
};

#define INTERN_NONE ((size_t)-1)

/* The number of `text`; one that is new is given the next, which is what `count` was before. */
size_t intern_add(struct intern *set, struct arena *arena, struct span text);
/* The number of `text`, or INTERN_NONE. */
size_t intern_find(const struct intern *set, struct span text);

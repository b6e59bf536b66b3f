/* Numbers distinct texts in the order of their first appearance, for lookups by name. */
#pragma once

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

struct intern_node;

/*
 * Zero-initialized. No choice of texts makes it slow: a lookup reads each bit of its text at most
 * once. The texts are not copied: they must live as long as the set.
 */
struct intern {
    const struct span *texts; /* by number */
    size_t count;
    struct intern_node *nodes;
    uint32_t root;
};

#define INTERN_NONE ((size_t)-1)

/* The number of `text`. A new text gets the next number: the value of `count` before the call. */
size_t intern_add(struct intern *set, struct arena *arena, struct span text);
/* The number of `text`, or INTERN_NONE. */
size_t intern_find(const struct intern *set, struct span text);

/* Stable sorting by keys, as Python's sorted(). */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

#include <stddef.h>

struct vm;

struct sorted {
    struct value key;
    struct value value;
};

/*
 * Backwards too, what is equal stays in its order. Keys that have no order are an error, with
 * SORT_BARE also where they are equal (two nones); else they count as items of lists, which Python
 * asks whether they differ first.
 */
enum sort_flags { SORT_BACKWARDS = 1, SORT_BARE = 2 };
TG_CHECKED int sort_values(struct vm *vm, struct sorted *items, size_t count, int flags);

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
 * Equal items keep their order even with SORT_BACKWARDS. Keys without an order are an error. With
 * SORT_BARE that includes equal ones (two nones); without it keys compare like items of lists,
 * where Python checks equality first.
 */
enum sort_flags { SORT_BACKWARDS = 1, SORT_BARE = 2 };
TG_CHECKED int sort_values(struct vm *vm, struct sorted *items, size_t count, int flags);

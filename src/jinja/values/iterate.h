/* Walking over values, one item at a time, as Python's iter() and next(). */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

#include <stdbool.h>
#include <stddef.h>

struct vm;

/* `next`: 1 with an item, 0 at the end, -1 with an error. */
struct iterator {
    int (*next)(struct value *out, struct vm *vm, struct iterator *iterator);
    struct value source;
    size_t pos;   /* of the next item, or bytes into a text */
    size_t count; /* of a mapping, when the walk began */
    void *more;   /* what special iterators keep */
    enum { ITERATOR_WAITS, ITERATOR_WALKS, ITERATOR_ENDED } state;
};

/* Fails for what cannot be walked. An iterator given as `source` is walked on. */
TG_CHECKED int iterator_open(struct iterator **out, struct vm *vm, const struct value *source);
/* From the end: what Python's reversed() takes. */
TG_CHECKED int iterator_open_reversed(struct iterator **out, struct vm *vm,
                                      const struct value *source);
TG_CHECKED int iterator_next(struct value *out, struct vm *vm, struct iterator *iterator);
/* One whose items `next` makes of a source and what it keeps itself. */
struct value iterator_of(struct vm *vm,
                         int (*next)(struct value *out, struct vm *vm, struct iterator *iterator),
                         const struct value *source, void *more);
bool value_is_iterable(const struct value *value);
bool value_is_reversible(const struct value *value);
/* All items that are left, as a new list (or tuple). */
TG_CHECKED int iterate_list(struct value *out, struct vm *vm, enum value_kind kind,
                            const struct value *source);

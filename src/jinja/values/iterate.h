/* Iterates over values like Python's iter() and next(). */
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
    size_t pos;   /* index of the next item; byte offset in a text */
    size_t count; /* of a mapping: its size at the start */
    void *more;   /* state of special iterators */
    enum { ITERATOR_WAITS, ITERATOR_WALKS, ITERATOR_ENDED } state;
};

/* Fails for a value that is not iterable. An iterator as `source` is continued. */
TG_CHECKED int iterator_open(struct iterator **out, struct vm *vm, const struct value *source);
/* The same from the end, for what Python's reversed() accepts. */
TG_CHECKED int iterator_open_reversed(struct iterator **out, struct vm *vm,
                                      const struct value *source);
TG_CHECKED int iterator_next(struct value *out, struct vm *vm, struct iterator *iterator);
/* An iterator whose items `next` computes from a source and a state of its own. */
struct value iterator_of(struct vm *vm,
                         int (*next)(struct value *out, struct vm *vm, struct iterator *iterator),
                         const struct value *source, void *more);
bool value_is_iterable(const struct value *value);
bool value_is_reversible(const struct value *value);
/* The remaining items as a new list (or tuple). */
TG_CHECKED int iterate_list(struct value *out, struct vm *vm, enum value_kind kind,
                            const struct value *source);

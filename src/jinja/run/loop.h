/* The variable `loop`. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>
#include <stddef.h>

struct vm;

struct loop {
    struct value iterable;
    bool sized; /* the length is known without iterating */
    struct iterator *iterator;
    size_t index0;
    struct value before, current, after; /* `after` is read ahead from the iterator */
    bool has_length;
    size_t length;
    struct value changed; /* last argument of `changed` */
};

/* Returns 1 with the next item, 0 at the end, -1 on failure. */
TG_CHECKED int loop_next(struct value *out, struct vm *vm, struct loop *loop);
TG_CHECKED int loop_length(size_t *out, struct vm *vm, struct loop *loop);
/* `loop.index` etc.: returns 1, or 0 if there is no such attribute. */
TG_CHECKED int loop_attribute(struct value *out, struct vm *vm, struct loop *loop,
                              struct span name);
/* The names for "did you mean". */
extern const char *const loop_names[];
extern const size_t loop_name_count;

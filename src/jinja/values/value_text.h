/* Values as text: Python's str() and repr(). */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

#include <stdbool.h>

struct sorted;
struct vm;

/* str(). Refuses methods and iterators, whose text would be a memory address. */
TG_CHECKED int value_print(struct buf *out, struct vm *vm, const struct value *value);
TG_CHECKED int value_repr(struct buf *out, struct vm *vm, const struct value *value);
/* Like pprint() on one line: sorts mappings; a value that contains itself is an error. */
TG_CHECKED int value_repr_sorted(struct buf *out, struct vm *vm, const struct value *value);
/* Whether that sorts parts of the value (the members of a mapping, by key). */
bool value_is_sorted(const struct value *value);
TG_CHECKED int value_sorted_members(struct sorted **out, struct vm *vm, struct dict *dict);
/* str() as a value; returns a text unchanged, with its mark from tojson. */
TG_CHECKED int value_to_text(struct value *out, struct vm *vm, const struct value *value);

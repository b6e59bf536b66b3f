/* Values as text: Python's str() and repr(). */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

#include <stdbool.h>

struct sorted;
struct vm;

/* str(). Methods and iterators are refused: their text would be an address in memory. */
TG_CHECKED int value_print(struct buf *out, struct vm *vm, const struct value *value);
TG_CHECKED int value_repr(struct buf *out, struct vm *vm, const struct value *value);
/* As pprint() has it on one line: mappings sorted, and what holds itself is an error. */
TG_CHECKED int value_repr_sorted(struct buf *out, struct vm *vm, const struct value *value);
/* Whether that sorts what is in a value; the members of a mapping by their keys, as pairs. */
bool value_is_sorted(const struct value *value);
TG_CHECKED int value_sorted_members(struct sorted **out, struct vm *vm, struct dict *dict);
/* str() as a value; a text is returned as it is, tojson's mark included. */
TG_CHECKED int value_to_text(struct value *out, struct vm *vm, const struct value *value);

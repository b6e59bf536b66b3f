/* Values as text: Python's str() and repr(). */
#ifndef TMPLGEN_VALUE_TEXT_H
#define TMPLGEN_VALUE_TEXT_H

#include "base/err.h"
#include "jinja/values/types.h"

struct buf;
struct vm;

/* str(). Methods and iterators are refused: their text would be an address in memory. */
TG_CHECKED int value_print(struct buf *out, struct vm *vm, const struct value *value);
TG_CHECKED int value_repr(struct buf *out, struct vm *vm, const struct value *value);
/* str() as a value; a text is returned as it is, tojson's mark included. */
TG_CHECKED int value_to_text(struct value *out, struct vm *vm, const struct value *value);

#endif

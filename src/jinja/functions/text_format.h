/* TEXT % values, as in Python. */
#ifndef TMPLGEN_TEXT_FORMAT_H
#define TMPLGEN_TEXT_FORMAT_H

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

/* `format` is a text; `values` a tuple, a mapping or one value. */
TG_CHECKED int format_percent(struct value *out, struct vm *vm, const struct value *format,
                              const struct value *values);

#endif

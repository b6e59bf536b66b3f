/* The filter pprint: values over several lines where they are long, as Python's pprint. */
#ifndef TMPLGEN_PPRINT_H
#define TMPLGEN_PPRINT_H

#include "base/err.h"
#include "jinja/values/types.h"

struct buf;
struct vm;

/* Mappings are sorted by their keys. A value that holds itself is refused. */
TG_CHECKED int pprint_write(struct buf *out, struct vm *vm, const struct value *value);

#endif

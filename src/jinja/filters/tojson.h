/* The filter tojson: Jinja2's htmlsafe_json_dumps with sorted keys. */
#ifndef TMPLGEN_TOJSON_H
#define TMPLGEN_TOJSON_H

#include "base/err.h"
#include "jinja/values/types.h"

struct buf;
struct vm;

/* `indent`: what one level is indented by; without `ptr` all is on one line. */
TG_CHECKED int tojson_write(struct buf *out, struct vm *vm, const struct value *value,
                            struct span indent);

#endif

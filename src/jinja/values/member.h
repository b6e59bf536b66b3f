/* Attributes and items of values: access by dot or brackets. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

/* object.name and object[index]; like Jinja2, each falls back to the other. */
TG_CHECKED int member_attribute(struct value *out, struct vm *vm, const struct value *object,
                                struct span name);
TG_CHECKED int member_item(struct value *out, struct vm *vm, const struct value *object,
                           const struct value *index);
/* object[start:stop:step]; V_MISSING for omitted parts. */
TG_CHECKED int member_slice(struct value *out, struct vm *vm, const struct value *object,
                            const struct value bounds[3]);

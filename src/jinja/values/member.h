/* Attributes and items of values: what stands behind a dot or in brackets. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

/* object.name and object[index], with Jinja2's fallback from one to the other. */
TG_CHECKED int member_attribute(struct value *out, struct vm *vm, const struct value *object,
                                struct span name);
TG_CHECKED int member_item(struct value *out, struct vm *vm, const struct value *object,
                           const struct value *index);
/* object[start:stop:step]; V_MISSING for what is not given. */
TG_CHECKED int member_slice(struct value *out, struct vm *vm, const struct value *object,
                            const struct value bounds[3]);

/* Attributes of values that are not plain data: macros, modules, blocks, namespaces, the loop. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>

struct vm;

/* Returns 1 with the attribute, 0 if there is none, -1. Methods are not attributes. */
TG_CHECKED int object_attribute(struct value *out, struct vm *vm, const struct value *object,
                                struct span name);
/* Whether the name is internal to Jinja2. */
bool object_hides(const struct value *object, struct span name);
/* Whether a namespace uses the name internally: it can be neither read nor set. */
bool namespace_hides(struct span name);
/* Fills in at most `room` names for "did you mean"; returns how many. */
size_t object_names(const char **names, size_t room, struct vm *vm, const struct value *object);

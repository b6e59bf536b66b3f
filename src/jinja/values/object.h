/* The attributes of what is no plain data: macros, modules, blocks, namespaces, the loop, ... */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>

struct vm;

/* 1 with the attribute, 0 where there is none of that name, -1. Methods are no attributes. */
TG_CHECKED int object_attribute(struct value *out, struct vm *vm, const struct value *object,
                                struct span name);
/* Would the name lead to what Jinja2 keeps to itself? */
bool object_hides(const struct value *object, struct span name);
/* A namespace has what is its own under such names: they can be neither read nor set. */
bool namespace_hides(struct span name);
/* The names for "did you mean", as many as `names` has room for; how many. */
size_t object_names(const char **names, size_t room, struct vm *vm, const struct value *object);

/* The methods of the types. */
#ifndef TMPLGEN_METHODS_H
#define TMPLGEN_METHODS_H

#include "jinja/functions/function.h"

/* The method `name` of what `self` is, or NULL. */
const struct function *method_find(const struct value *self, struct span name);
/* An attribute that Python's type has and this language does not reach. */
bool method_is_refused(const struct value *self, struct span name);
/* The nearest method or key or loop variable, or NULL. */
const char *member_nearest(struct vm *vm, const struct value *object, struct span name);

#endif

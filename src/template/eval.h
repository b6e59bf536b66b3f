/* Evaluating expressions. */
#ifndef TMPLGEN_TEMPLATE_EVAL_H
#define TMPLGEN_TEMPLATE_EVAL_H

#include "base/err.h"
#include "template/ast.h"
#include "template/function.h"
#include "template/value.h"

struct vm;

TG_CHECKED int eval(struct value *out, struct vm *vm, const struct node *node);

/* object.name and object[index], with Jinja2's fallback from one to the other. */
TG_CHECKED int eval_attribute(struct value *out, struct vm *vm, const struct value *object,
                              struct span name);
TG_CHECKED int eval_item(struct value *out, struct vm *vm, const struct value *object,
                         const struct value *index);
/* The nearest variable, for "did you mean", or NULL. */
const char *name_nearest(struct vm *vm, struct span name);

/* Calls a function of the tables with the arguments of a call, which are evaluated first. */
TG_CHECKED int function_call(struct value *out, struct vm *vm, const struct function *function,
                             const struct value *self, const struct call_args *args);

#endif

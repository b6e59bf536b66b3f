/* Evaluating expressions. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"
#include "jinja/values/types.h"

struct vm;

TG_CHECKED int eval(struct value *out, struct vm *vm, const struct node *node);
/* A call that also passes `caller`. */
TG_CHECKED int eval_call_with(struct value *out, struct vm *vm, const struct node *node,
                              const struct value *caller);
/* The nearest defined name, for "did you mean", or NULL. */
const char *eval_nearest(struct vm *vm, const struct undefined *undefined);

/* The operators + - * / // % ** and the signs, as in Python but with 64-bit integers. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"
#include "jinja/values/types.h"

struct vm;

/* Refuses integers over 64 bits, floats that are not finite, and complex results. */
TG_CHECKED int value_binary(struct value *out, struct vm *vm, enum binary_op op,
                            const struct value *a, const struct value *b);
TG_CHECKED int value_negate(struct value *out, struct vm *vm, const struct value *value);
TG_CHECKED int value_plus(struct value *out, struct vm *vm, const struct value *value);

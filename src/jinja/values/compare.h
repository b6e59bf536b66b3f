/* Equality, order and membership of values, as in Python. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"

#include <stdbool.h>

struct vm;

TG_CHECKED int value_equal(bool *out, struct vm *vm, const struct value *a, const struct value *b);
/* Less than, for two numbers, texts, lists or tuples. */
TG_CHECKED int value_less(bool *out, struct vm *vm, const struct value *a, const struct value *b);
TG_CHECKED int value_compare(bool *out, struct vm *vm, enum compare_op op, const struct value *a,
                             const struct value *b);

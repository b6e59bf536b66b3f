/* Integers and floats: exact comparison and conversion. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

#define TWO_TO_63 9223372036854775808.0

/* The sign of a - b, exact; 2 if one of them is NaN. */
int number_sign(const struct value *a, const struct value *b);
/* Truncates a float to an integer. */
TG_CHECKED int real_to_integer(int64_t *out, struct vm *vm, double real);
/* Fails with "the integer does not fit in 64 bits"; returns -1. */
int number_fail_large(struct vm *vm);

/* Integers and floats together: exact order, and the way from one to the other. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

#define TWO_TO_63 9223372036854775808.0

/* The sign of a - b of two numbers, exactly; 2 where one of them is no number of any size. */
int number_sign(const struct value *a, const struct value *b);
/* A float as an integer, without what is behind the point. */
TG_CHECKED int real_to_integer(int64_t *out, struct vm *vm, double real);
/* "the integer does not fit in 64 bits"; -1. */
int number_fail_large(struct vm *vm);

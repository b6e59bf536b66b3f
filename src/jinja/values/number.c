/* Integers and floats: exact comparison and conversion. */
#include "jinja/values/number.h"

#include "jinja/run/vm.h"

#include <math.h>

/* The sign of a - b, exact; 2 if `b` is NaN. */
static int integer_against_real(int64_t a, double b)
{
    if (isnan(b))
        return 2;
    if (b >= TWO_TO_63)
        return -1;
    if (b < -TWO_TO_63)
        return 1;
    int64_t whole = (int64_t)b;
    if (a != whole)
        return a < whole ? -1 : 1;
    double rest = b - (double)whole;
    return rest > 0 ? -1 : rest < 0;
}

int number_sign(const struct value *a, const struct value *b)
{
    int64_t i, j;
    bool is_i = value_is_integer(a, &i), is_j = value_is_integer(b, &j);
    if (is_i && is_j)
        return i < j ? -1 : i > j;
    if (is_i)
        return integer_against_real(i, b->real);
    if (is_j) {
        int sign = integer_against_real(j, a->real);
        return sign == 2 ? 2 : -sign;
    }
    if (isnan(a->real) || isnan(b->real))
        return 2;
    return a->real < b->real ? -1 : a->real > b->real;
}

int number_fail_large(struct vm *vm)
{
    return vm_fail(vm, CODE_TYPE, "the integer does not fit in 64 bits");
}

int real_to_integer(int64_t *out, struct vm *vm, double real)
{
    if (!(real >= -TWO_TO_63 && real < TWO_TO_63))
        return number_fail_large(vm);
    *out = (int64_t)real;
    return 0;
}

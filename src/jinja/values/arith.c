/* The operators + - * / // % ** and the signs, as in Python but with 64-bit integers. */
#include "jinja/values/arith.h"

#include "base/limits.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/number.h"
#include "jinja/values/value.h"

#include <math.h>
#include <string.h>

static const char *const op_names[] = {
    [OP_ADD] = "+",       [OP_SUB] = "-", [OP_MUL] = "*",  [OP_DIV] = "/",
    [OP_FLOORDIV] = "//", [OP_MOD] = "%", [OP_POW] = "**",
};

static int fail_kinds(struct vm *vm, enum binary_op op, const struct value *a,
                      const struct value *b)
{
    return vm_fail(vm, CODE_TYPE, "'%s' does not take %s and %s", op_names[op], value_kind_name(a),
                   value_kind_name(b));
}

static int fail_zero(struct vm *vm)
{
    return vm_fail(vm, CODE_TYPE, "division by zero");
}

/* ---------------------------------------------------------------- integers */

/* a / b of integers, correctly rounded. `b` is not 0. */
static double divide_integers(int64_t a, int64_t b)
{
    uint64_t m = a < 0 ? -(uint64_t)a : (uint64_t)a, n = b < 0 ? -(uint64_t)b : (uint64_t)b;
    if (m == 0)
        return 0.0 * (b < 0 ? -1 : 1);
    /* 126 bits above, at least 62 in the quotient: with the remainder as a sticky last bit,
     * rounding to 53 bits is exact */
    int shift = __builtin_clzll(m);
    unsigned __int128 numerator = (unsigned __int128)(m << shift) << 62;
    unsigned __int128 quotient = numerator / n;
    quotient |= numerator % n != 0;
    double result = ldexp((double)quotient, -(shift + 62));
    return (a < 0) != (b < 0) ? -result : result;
}

static bool power_overflows(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;
    bool overflow = false;
    while (exponent > 0 && !overflow) {
        if (exponent & 1)
            overflow = __builtin_mul_overflow(result, base, &result);
        exponent >>= 1;
        /* the last square is unused, so its overflow does not count */
        if (exponent && __builtin_mul_overflow(base, base, &base))
            overflow = true;
    }
    *out = result;
    return overflow;
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_rest(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Whether a result does not fit. */
static bool integer_overflows(int64_t *out, enum binary_op op, int64_t a, int64_t b)
{
    switch (op) {
    case OP_ADD:
        return __builtin_add_overflow(a, b, out);
    case OP_SUB:
        return __builtin_sub_overflow(a, b, out);
    case OP_MUL:
        return __builtin_mul_overflow(a, b, out);
    case OP_POW:
        return power_overflows(a, b, out);
    case OP_MOD:
        *out = b == -1 ? 0 : floor_rest(a, b);
        return false;
    default:
        if (a == INT64_MIN && b == -1)
            return true;
        *out = floor_quotient(a, b);
        return false;
    }
}

static bool divides_by_zero(enum binary_op op, double divisor)
{
    return divisor == 0 && (op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD);
}

static int integer_binary(struct value *out, struct vm *vm, enum binary_op op, int64_t a, int64_t b)
{
    int64_t result = 0;
    if (divides_by_zero(op, (double)b))
        return fail_zero(vm);
    if (op == OP_DIV) {
        *out = (struct value){.kind = V_FLOAT, .real = divide_integers(a, b)};
        return 0;
    }
    if (integer_overflows(&result, op, a, b))
        return number_fail_large(vm);
    *out = value_int(result);
    return 0;
}

/* ---------------------------------------------------------------- floats */

static double real_rest(double a, double b)
{
    double rest = fmod(a, b);
    if (rest == 0)
        return copysign(0.0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

/* As CPython computes it: the remainder first, then the corrected quotient. */
static double real_quotient(double a, double b)
{
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
        quotient -= 1.0;
    if (quotient == 0)
        return copysign(0.0, a / b);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

static int real_power(double *out, struct vm *vm, double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return vm_fail(vm, CODE_TYPE, "'**' of a number that is not finite");
    if (a == 0 && b < 0)
        return fail_zero(vm);
    if (a < 0 && b != floor(b))
        return vm_fail(vm, CODE_TYPE, "complex numbers are not in the template language");
    *out = pow(a, b);
    return 0;
}

static double real_result(enum binary_op op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_FLOORDIV:
        return real_quotient(a, b);
    default:
        return real_rest(a, b);
    }
}

static int real_binary(struct value *out, struct vm *vm, enum binary_op op, double a, double b)
{
    double result = 0;
    if (divides_by_zero(op, b))
        return fail_zero(vm);
    if (op != OP_POW)
        result = real_result(op, a, b);
    else if (real_power(&result, vm, a, b))
        return -1;
    *out = (struct value){.kind = V_FLOAT, .real = result};
    if (!isfinite(result) && isfinite(a) && isfinite(b))
        return vm_fail(vm, CODE_TYPE, "the number is too large");
    return 0;
}

static int number_binary(struct value *out, struct vm *vm, enum binary_op op, const struct value *a,
                         const struct value *b)
{
    int64_t i, j;
    if (value_is_integer(a, &i) && value_is_integer(b, &j) && !(op == OP_POW && j < 0))
        return integer_binary(out, vm, op, i, j);
    return real_binary(out, vm, op, value_real(a), value_real(b));
}

/* ---------------------------------------------------------------- texts and lists */

static bool is_list(const struct value *value)
{
    return value->kind == V_LIST || value->kind == V_TUPLE;
}

static int join_texts(struct value *out, struct vm *vm, const struct value *a,
                      const struct value *b)
{
    if (a->safe || b->safe)
        return vm_fail(vm, CODE_TYPE,
                       "'+' on the result of tojson is not in the template language");
    size_t start = vm_begin(vm);
    (void)buf_append(&vm->scratch, a->text.ptr, a->text.len);
    (void)buf_append(&vm->scratch, b->text.ptr, b->text.len);
    return vm_end(out, vm, start);
}

static int push_all(struct vm *vm, struct list *to, struct list *from)
{
    list_open(vm, from);
    return list_push_all(vm, to, from->items, from->count) ? -1 : vm_charge(vm, from->count);
}

static int join_lists(struct value *out, struct vm *vm, const struct value *a,
                      const struct value *b)
{
    *out = list_new(vm, a->kind, 0);
    return push_all(vm, out->list, a->list) || push_all(vm, out->list, b->list) ? -1 : 0;
}

/* Appends a short text in larger pieces if it is repeated often. */
static void append_times(struct buf *out, struct span text, size_t times)
{
    char piece[4096];
    size_t fits = text.len ? sizeof(piece) / text.len : 0;
    if (text.len == 0)
        return;
    for (size_t i = 0; i < fits && i < times; i++)
        memcpy(piece + i * text.len, text.ptr, text.len);
    for (; fits && times >= fits; times -= fits)
        (void)buf_append(out, piece, fits * text.len);
    for (; times; times--)
        (void)buf_append(out, text.ptr, text.len);
}

static int repeat_text(struct value *out, struct vm *vm, const struct value *text, int64_t times)
{
    struct span span = text->text;
    size_t start = vm_begin(vm);
    if (times > 0 && span.len > LIMIT_TEMPLATE_TEXT_BYTES / (size_t)times)
        return vm_fail(vm, CODE_LIMIT, "a text is longer than %zu bytes",
                       LIMIT_TEMPLATE_TEXT_BYTES);
    append_times(&vm->scratch, span, times > 0 ? (size_t)times : 0);
    if (vm_end(out, vm, start))
        return -1;
    out->safe = text->safe;
    return 0;
}

static int repeat_list(struct value *out, struct vm *vm, const struct value *list, int64_t times)
{
    list_open(vm, list->list);
    *out = list_new(vm, list->kind, 0);
    for (int64_t i = 0; list->list->count && i < times; i++)
        if (push_all(vm, out->list, list->list))
            return -1;
    return 0;
}

static int repeat(struct value *out, struct vm *vm, const struct value *sequence, int64_t times)
{
    return sequence->kind == V_TEXT ? repeat_text(out, vm, sequence, times)
                                    : repeat_list(out, vm, sequence, times);
}

static bool repeats(const struct value *sequence, const struct value *times, int64_t *count)
{
    return (sequence->kind == V_TEXT || is_list(sequence)) && value_is_integer(times, count);
}

static int sequence_binary(struct value *out, struct vm *vm, enum binary_op op,
                           const struct value *a, const struct value *b)
{
    int64_t times;
    if (op == OP_MUL && repeats(a, b, &times))
        return repeat(out, vm, a, times);
    if (op == OP_MUL && repeats(b, a, &times))
        return repeat(out, vm, b, times);
    if (op == OP_ADD && a->kind == V_TEXT && b->kind == V_TEXT)
        return join_texts(out, vm, a, b);
    if (op == OP_ADD && is_list(a) && a->kind == b->kind)
        return join_lists(out, vm, a, b);
    return fail_kinds(vm, op, a, b);
}

/* ---------------------------------------------------------------- operators */

int value_binary(struct value *out, struct vm *vm, enum binary_op op, const struct value *a,
                 const struct value *b)
{
    if (a->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, a);
    if (op == OP_MOD && a->kind == V_TEXT)
        return format_percent(out, vm, a, b);
    if (b->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, b);
    if (value_is_number(a) && value_is_number(b))
        return number_binary(out, vm, op, a, b);
    return sequence_binary(out, vm, op, a, b);
}

static int check_number(struct vm *vm, const char *sign, const struct value *value)
{
    if (value->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, value);
    if (!value_is_number(value))
        return vm_fail(vm, CODE_TYPE, "the sign '%s' does not take %s", sign,
                       value_kind_name(value));
    return 0;
}

int value_negate(struct value *out, struct vm *vm, const struct value *value)
{
    int64_t integer;
    if (check_number(vm, "-", value))
        return -1;
    if (!value_is_integer(value, &integer)) {
        *out = (struct value){.kind = V_FLOAT, .real = -value->real};
        return 0;
    }
    if (integer == INT64_MIN)
        return number_fail_large(vm);
    *out = value_int(-integer);
    return 0;
}

int value_plus(struct value *out, struct vm *vm, const struct value *value)
{
    int64_t integer;
    if (check_number(vm, "+", value))
        return -1;
    *out = value_is_integer(value, &integer) ? value_int(integer) : *value;
    return 0;
}

/* The tests behind `is`. */
#include "template/tests.h"

#include "template/arith.h"
#include "template/compare.h"
#include "template/iterate.h"
#include "template/vm.h"

/* ---------------------------------------------------------------- kinds */

/* Most tests only look at the kind: a row holds the kinds as bits. */
#define KIND(kind) (1U << (kind))

static int test_kind(struct value *out, const struct value *self, unsigned kinds)
{
    *out = value_bool((KIND(self->kind) & kinds) != 0);
    return 0;
}

static int is_defined(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, ~KIND(V_UNDEFINED));
}

static int is_undefined(struct value *out, struct vm *vm, const struct value *self,
                        const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_UNDEFINED));
}

static int is_none(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_NONE));
}

static int is_boolean(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_BOOL));
}

static int is_true(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    *out = value_bool(self->kind == V_BOOL && self->boolean);
    return 0;
}

static int is_false(struct value *out, struct vm *vm, const struct value *self,
                    const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    *out = value_bool(self->kind == V_BOOL && !self->boolean);
    return 0;
}

static int is_integer(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_INT));
}

static int is_float(struct value *out, struct vm *vm, const struct value *self,
                    const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_FLOAT));
}

static int is_number(struct value *out, struct vm *vm, const struct value *self,
                     const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_BOOL) | KIND(V_INT) | KIND(V_FLOAT));
}

static int is_string(struct value *out, struct vm *vm, const struct value *self,
                     const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_TEXT));
}

static int is_mapping(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self, KIND(V_DICT));
}

static int is_sequence(struct value *out, struct vm *vm, const struct value *self,
                       const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    if (self->kind == V_UNDEFINED) { /* Jinja2 finds [] in one, and in a strict one no len() */
        *out = value_bool(self->undefined->lenient);
        return 0;
    }
    return test_kind(out, self,
                     KIND(V_TEXT) | KIND(V_LIST) | KIND(V_TUPLE) | KIND(V_DICT) | KIND(V_RANGE));
}

static int is_iterable(struct value *out, struct vm *vm, const struct value *self,
                       const struct arguments *arguments)
{
    (void)arguments;
    if (self->kind == V_UNDEFINED && !self->undefined->lenient)
        return vm_fail_undefined(vm, self);
    *out = value_bool(value_is_iterable(self) || self->kind == V_LOOP);
    return 0;
}

/* ---------------------------------------------------------------- remainders */

/* value % divisor == remainder, in just these steps, whatever the value is. */
static int has_rest(struct value *out, struct vm *vm, const struct value *self,
                    const struct value *divisor, int64_t remainder)
{
    struct value rest, expected = value_int(remainder);
    bool same;
    if (value_binary(&rest, vm, OP_MOD, self, divisor) || value_equal(&same, vm, &rest, &expected))
        return -1;
    *out = value_bool(same);
    return 0;
}

static int is_odd(struct value *out, struct vm *vm, const struct value *self,
                  const struct arguments *arguments)
{
    struct value two = value_int(2);
    (void)arguments;
    return has_rest(out, vm, self, &two, 1);
}

static int is_even(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    struct value two = value_int(2);
    (void)arguments;
    return has_rest(out, vm, self, &two, 0);
}

static int is_divisible(struct value *out, struct vm *vm, const struct value *self,
                        const struct arguments *arguments)
{
    return has_rest(out, vm, self, &arguments->values[0], 0);
}

/* ---------------------------------------------------------------- comparisons */

static int compare(struct value *out, struct vm *vm, enum compare_op op, const struct value *self,
                   const struct arguments *arguments)
{
    bool holds;
    if (value_compare(&holds, vm, op, self, &arguments->values[0]))
        return -1;
    *out = value_bool(holds);
    return 0;
}

static int is_equal(struct value *out, struct vm *vm, const struct value *self,
                    const struct arguments *arguments)
{
    return compare(out, vm, OP_EQ, self, arguments);
}

static int is_unequal(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    return compare(out, vm, OP_NE, self, arguments);
}

static int is_less(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    return compare(out, vm, OP_LT, self, arguments);
}

static int is_at_most(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    return compare(out, vm, OP_LE, self, arguments);
}

static int is_greater(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    return compare(out, vm, OP_GT, self, arguments);
}

static int is_at_least(struct value *out, struct vm *vm, const struct value *self,
                       const struct arguments *arguments)
{
    return compare(out, vm, OP_GE, self, arguments);
}

static int is_in(struct value *out, struct vm *vm, const struct value *self,
                 const struct arguments *arguments)
{
    return compare(out, vm, OP_IN, self, arguments);
}

/* ---------------------------------------------------------------- the table */

static const struct function rows[] = {
    {.name = "boolean", .body = is_boolean},
    {.name = "defined", .body = is_defined},
    {.name = "divisibleby", .body = is_divisible, .parameters = {"num"}, .required = 1},
    {.name = "eq", .body = is_equal, .parameters = {"/other"}, .required = 1},
    {.name = "equalto", .body = is_equal, .parameters = {"/other"}, .required = 1},
    {.name = "even", .body = is_even},
    {.name = "false", .body = is_false},
    {.name = "float", .body = is_float},
    {.name = "ge", .body = is_at_least, .parameters = {"/other"}, .required = 1},
    {.name = "greaterthan", .body = is_greater, .parameters = {"/other"}, .required = 1},
    {.name = "gt", .body = is_greater, .parameters = {"/other"}, .required = 1},
    {.name = "in", .body = is_in, .parameters = {"seq"}, .required = 1},
    {.name = "integer", .body = is_integer},
    {.name = "iterable", .body = is_iterable},
    {.name = "le", .body = is_at_most, .parameters = {"/other"}, .required = 1},
    {.name = "lessthan", .body = is_less, .parameters = {"/other"}, .required = 1},
    {.name = "lt", .body = is_less, .parameters = {"/other"}, .required = 1},
    {.name = "mapping", .body = is_mapping},
    {.name = "ne", .body = is_unequal, .parameters = {"/other"}, .required = 1},
    {.name = "none", .body = is_none},
    {.name = "number", .body = is_number},
    {.name = "odd", .body = is_odd},
    {.name = "sequence", .body = is_sequence},
    {.name = "string", .body = is_string},
    {.name = "true", .body = is_true},
    {.name = "undefined", .body = is_undefined},
};

static const char *const refused[] = {
    "callable", "escaped", "filter", "lower", "sameas", "test", "upper",
};

const struct function_table tests = {
    .functions = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .refused = refused,
    .refused_count = sizeof(refused) / sizeof(refused[0]),
};

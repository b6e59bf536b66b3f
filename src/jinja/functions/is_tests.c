/* The tests behind `is`. */
#include "jinja/functions/is_tests.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/values/arith.h"
#include "jinja/values/compare.h"
#include "jinja/values/iterate.h"
#include "jinja/values/key.h"
#include "jinja/values/value_text.h"

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

static int is_callable(struct value *out, struct vm *vm, const struct value *self,
                       const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    return test_kind(out, self,
                     KIND(V_UNDEFINED) | KIND(V_LOOP) | KIND(V_METHOD) | KIND(V_MACRO) |
                         KIND(V_BLOCK) | KIND(V_JOINER) | KIND(V_BUILTIN));
}

static int is_escaped(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    (void)vm;
    (void)arguments;
    *out = value_bool(self->kind == V_TEXT && self->safe);
    return 0;
}

/* ---------------------------------------------------------------- letter case */

static int test_case(struct value *out, struct vm *vm, const struct value *self,
                     bool (*holds)(struct span text))
{
    struct value text;
    if (value_to_text(&text, vm, self) || vm_charge(vm, text.text.len / 4))
        return -1;
    for (size_t pos = 0; pos < text.text.len;) {
        uint32_t c = utf8_next(text.text, &pos);
        if (unicode_is_unassigned(c))
            return vm_fail(vm, CODE_TYPE,
                           "the case of U+%04X is not known: it is not in Unicode 14", c);
    }
    *out = value_bool(holds(text.text));
    return 0;
}

static int is_lower(struct value *out, struct vm *vm, const struct value *self,
                    const struct arguments *arguments)
{
    (void)arguments;
    return test_case(out, vm, self, unicode_is_lower);
}

static int is_upper(struct value *out, struct vm *vm, const struct value *self,
                    const struct arguments *arguments)
{
    (void)arguments;
    return test_case(out, vm, self, unicode_is_upper);
}

/* ---------------------------------------------------------------- names */

/* Whether the table has that name; one that only Jinja2 has is no answer but an error. */
static int is_name(struct value *out, struct vm *vm, const struct value *self,
                   const struct function_table *table, const char *what)
{
    uint64_t hash;
    if (value_hash(&hash, vm, self))
        return -1;
    bool text = self->kind == V_TEXT;
    if (text && function_is_refused(table, self->text))
        return vm_fail(vm, CODE_SYNTAX, "the %s '%s' is not in the template language", what,
                       vm_show(vm, self->text));
    *out = value_bool(text && function_find(table, self->text));
    return 0;
}

static int is_filter(struct value *out, struct vm *vm, const struct value *self,
                     const struct arguments *arguments)
{
    (void)arguments;
    return is_name(out, vm, self, vm->filters, "filter");
}

static int is_test(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    (void)arguments;
    return is_name(out, vm, self, vm->tests, "test");
}

/* ---------------------------------------------------------------- sameas */

/* Values that are one object in Python wherever they are one here. */
static bool has_identity(const struct value *value)
{
    static const unsigned kinds = KIND(V_LIST) | KIND(V_DICT) | KIND(V_RANGE) | KIND(V_ITERATOR) |
                                  KIND(V_LOOP) | KIND(V_METHOD) | KIND(V_UNDEFINED) |
                                  KIND(V_MACRO) | KIND(V_NAMESPACE) | KIND(V_CYCLER) |
                                  KIND(V_JOINER) | KIND(V_BUILTIN);
    return (kinds & KIND(value->kind)) != 0;
}

/* Two numbers, texts or tuples that are equal may be one object in Python or two. */
static int is_same(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    const struct value *other = &arguments->values[0];
    bool same = self->kind == other->kind;
    if (same && has_identity(self))
        same = self->list == other->list;
    else if (same && self->kind != V_NONE) {
        if (value_equal(&same, vm, self, other))
            return -1;
        if (same && self->kind != V_BOOL)
            return vm_fail(vm, CODE_TYPE, "whether %s is the same as an equal one is not known",
                           value_kind_name(self));
    }
    *out = value_bool(same);
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
    {.name = "callable", .body = is_callable},
    {.name = "defined", .body = is_defined},
    {.name = "divisibleby", .body = is_divisible, .parameters = {"num"}, .required = 1},
    {.name = "eq", .body = is_equal, .parameters = {"/other"}, .required = 1},
    {.name = "equalto", .body = is_equal, .parameters = {"/other"}, .required = 1},
    {.name = "escaped", .body = is_escaped},
    {.name = "even", .body = is_even},
    {.name = "false", .body = is_false},
    {.name = "filter", .body = is_filter},
    {.name = "float", .body = is_float},
    {.name = "ge", .body = is_at_least, .parameters = {"/other"}, .required = 1},
    {.name = "greaterthan", .body = is_greater, .parameters = {"/other"}, .required = 1},
    {.name = "gt", .body = is_greater, .parameters = {"/other"}, .required = 1},
    {.name = "in", .body = is_in, .parameters = {"seq"}, .required = 1},
    {.name = "integer", .body = is_integer},
    {.name = "iterable", .body = is_iterable},
    {.name = "le", .body = is_at_most, .parameters = {"/other"}, .required = 1},
    {.name = "lessthan", .body = is_less, .parameters = {"/other"}, .required = 1},
    {.name = "lower", .body = is_lower},
    {.name = "lt", .body = is_less, .parameters = {"/other"}, .required = 1},
    {.name = "mapping", .body = is_mapping},
    {.name = "ne", .body = is_unequal, .parameters = {"/other"}, .required = 1},
    {.name = "none", .body = is_none},
    {.name = "number", .body = is_number},
    {.name = "odd", .body = is_odd},
    {.name = "sameas", .body = is_same, .parameters = {"other"}, .required = 1},
    {.name = "sequence", .body = is_sequence},
    {.name = "string", .body = is_string},
    {.name = "test", .body = is_test},
    {.name = "true", .body = is_true},
    {.name = "undefined", .body = is_undefined},
    {.name = "upper", .body = is_upper},
    /* as names, for select and its like */
    {.name = "==", .body = is_equal, .parameters = {"/other"}, .required = 1},
    {.name = "!=", .body = is_unequal, .parameters = {"/other"}, .required = 1},
    {.name = ">", .body = is_greater, .parameters = {"/other"}, .required = 1},
    {.name = ">=", .body = is_at_least, .parameters = {"/other"}, .required = 1},
    {.name = "<", .body = is_less, .parameters = {"/other"}, .required = 1},
    {.name = "<=", .body = is_at_most, .parameters = {"/other"}, .required = 1},
};

const struct function_table tests = {
    .functions = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

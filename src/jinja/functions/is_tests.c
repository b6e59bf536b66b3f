/* The tests behind `is`. */
#include "base/unicode.h"
#include "jinja/functions/function.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/arith.h"
#include "jinja/values/compare.h"
#include "jinja/values/iterate.h"
#include "jinja/values/key.h"
#include "jinja/values/value_text.h"

/* ---------------------------------------------------------------- kinds */

/* Most tests check only the kind: `how` has the accepted kinds as bits. */
#define KIND(kind) (1U << (kind))

static int is_kind(struct value *out, struct vm *vm, const struct arguments *given)
{
    (void)vm;
    *out = value_bool((KIND(given->self->kind) & given->how) != 0);
    return 0;
}

static int is_bool(struct value *out, struct vm *vm, const struct arguments *given)
{
    (void)vm;
    *out = value_bool(given->self->kind == V_BOOL && given->self->boolean == (given->how != 0));
    return 0;
}

static int is_sequence(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    (void)vm;
    if (self->kind == V_UNDEFINED) { /* to Jinja2 it has [], and a strict one no len() */
        *out = value_bool(self->undefined->lenient);
        return 0;
    }
    *out = value_bool(value_is_sized(self) && self->kind != V_VIEW);
    return 0;
}

static int is_iterable(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    if (self->kind == V_UNDEFINED && !self->undefined->lenient)
        return vm_fail_undefined(vm, self);
    *out = value_bool(value_is_iterable(self) || self->kind == V_LOOP);
    return 0;
}

static int is_escaped(struct value *out, struct vm *vm, const struct arguments *given)
{
    (void)vm;
    *out = value_bool(given->self->kind == V_TEXT && given->self->safe);
    return 0;
}

/* ---------------------------------------------------------------- texts and names */

static int is_case(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (value_to_text(&text, vm, given->self) || vm_charge(vm, text.text.len / 4) ||
        text_check_case(vm, text.text))
        return -1;
    *out = value_bool(given->how == UNICODE_UPPER ? unicode_is_upper(text.text)
                                                  : unicode_is_lower(text.text));
    return 0;
}

enum name_kind { FILTER_NAME, TEST_NAME };

/* Whether the table has that name; one that only Jinja2 has is no answer but an error. */
static int is_name(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    bool filter = given->how == FILTER_NAME, text = self->kind == V_TEXT;
    const struct function_table *table = filter ? vm->filters : vm->tests;
    uint64_t hash;
    if (value_hash(&hash, vm, self))
        return -1;
    if (text && function_is_refused(table, self->text))
        return vm_fail(vm, CODE_SYNTAX, "the %s '%s' is not in the template language",
                       filter ? "filter" : "test", vm_show(vm, self->text));
    *out = value_bool(text && function_find(table, self->text));
    return 0;
}

/* ---------------------------------------------------------------- sameas */

/* Kinds whose identity here agrees with Python's. */
static bool has_identity(const struct value *value)
{
    static const unsigned kinds = KIND(V_LIST) | KIND(V_DICT) | KIND(V_RANGE) | KIND(V_ITERATOR) |
                                  KIND(V_LOOP) | KIND(V_METHOD) | KIND(V_UNDEFINED) |
                                  KIND(V_MACRO) | KIND(V_NAMESPACE) | KIND(V_CYCLER) |
                                  KIND(V_JOINER) | KIND(V_BUILTIN);
    return (kinds & KIND(value->kind)) != 0;
}

/* Equal numbers, texts or tuples may be one object in Python, or two. */
static int is_same(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    const struct value *other = &given->values[0];
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

/* value % divisor == remainder, in exactly these steps for any value. */
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

/* Odd if `how` is 1, even if it is 0. */
static int has_parity(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value two = value_int(2);
    return has_rest(out, vm, given->self, &two, given->how);
}

static int is_divisible(struct value *out, struct vm *vm, const struct arguments *given)
{
    return has_rest(out, vm, given->self, &given->values[0], 0);
}

/* `how` is the operator. */
static int compares(struct value *out, struct vm *vm, const struct arguments *given)
{
    bool holds;
    if (value_compare(&holds, vm, (enum compare_op)given->how, given->self, &given->values[0]))
        return -1;
    *out = value_bool(holds);
    return 0;
}

/* ---------------------------------------------------------------- the table */

#define CALLABLE                                                                                   \
    (KIND(V_UNDEFINED) | KIND(V_LOOP) | KIND(V_METHOD) | KIND(V_MACRO) | KIND(V_BLOCK) |           \
     KIND(V_JOINER) | KIND(V_BUILTIN))
#define NUMBER (KIND(V_BOOL) | KIND(V_INT) | KIND(V_FLOAT))
#define COMPARISON(op) compares, {"/other"}, 1, .how = (op)

static const struct function rows[] = {
    {.name = "boolean", is_kind, .how = KIND(V_BOOL)},
    {.name = "callable", is_kind, .how = CALLABLE},
    {.name = "defined", is_kind, .how = ~KIND(V_UNDEFINED)},
    {.name = "divisibleby", is_divisible, {"num"}, 1},
    {.name = "eq", COMPARISON(OP_EQ)},
    {.name = "equalto", COMPARISON(OP_EQ)},
    {.name = "escaped", is_escaped},
    {.name = "even", has_parity, .how = 0},
    {.name = "false", is_bool, .how = false},
    {.name = "filter", is_name, .how = FILTER_NAME},
    {.name = "float", is_kind, .how = KIND(V_FLOAT)},
    {.name = "ge", COMPARISON(OP_GE)},
    {.name = "greaterthan", COMPARISON(OP_GT)},
    {.name = "gt", COMPARISON(OP_GT)},
    {.name = "in", compares, {"seq"}, 1, .how = OP_IN},
    {.name = "integer", is_kind, .how = KIND(V_INT)},
    {.name = "iterable", is_iterable},
    {.name = "le", COMPARISON(OP_LE)},
    {.name = "lessthan", COMPARISON(OP_LT)},
    {.name = "lower", is_case, .how = UNICODE_LOWER},
    {.name = "lt", COMPARISON(OP_LT)},
    {.name = "mapping", is_kind, .how = KIND(V_DICT)},
    {.name = "ne", COMPARISON(OP_NE)},
    {.name = "none", is_kind, .how = KIND(V_NONE)},
    {.name = "number", is_kind, .how = NUMBER},
    {.name = "odd", has_parity, .how = 1},
    {.name = "sameas", is_same, {"other"}, 1},
    {.name = "sequence", is_sequence},
    {.name = "string", is_kind, .how = KIND(V_TEXT)},
    {.name = "test", is_name, .how = TEST_NAME},
    {.name = "true", is_bool, .how = true},
    {.name = "undefined", is_kind, .how = KIND(V_UNDEFINED)},
    {.name = "upper", is_case, .how = UNICODE_UPPER},
    /* as names, for select and its like */
    {.name = "==", COMPARISON(OP_EQ)},
    {.name = "!=", COMPARISON(OP_NE)},
    {.name = ">", COMPARISON(OP_GT)},
    {.name = ">=", COMPARISON(OP_GE)},
    {.name = "<", COMPARISON(OP_LT)},
    {.name = "<=", COMPARISON(OP_LE)},
};

const struct function_table tests = {FUNCTIONS(rows)};

/* What the kinds of values are called, and which of them are numbers or have a length. */
#include "jinja/values/types.h"

static const char *const kind_names[] = {
    [V_MISSING] = "nothing",
    [V_UNRESOLVED] = "nothing",
    [V_UNDEFINED] = "an undefined value",
    [V_NONE] = "none",
    [V_BOOL] = "true or false",
    [V_INT] = "an integer",
    [V_FLOAT] = "a float",
    [V_TEXT] = "a text",
    [V_LIST] = "a list",
    [V_TUPLE] = "a tuple",
    [V_DICT] = "a mapping",
    [V_RANGE] = "a range",
    [V_VIEW] = "a view of a mapping",
    [V_ITERATOR] = "an iterator",
    [V_LOOP] = "the loop",
    [V_METHOD] = "a method",
    [V_MACRO] = "a macro",
    [V_MODULE] = "an imported template",
    [V_SELF] = "'self'",
    [V_BLOCK] = "a block",
    [V_NAMESPACE] = "a namespace",
    [V_CYCLER] = "a cycler",
    [V_JOINER] = "a joiner",
    [V_BUILTIN] = "a built-in function",
};

const char *value_kind_name(const struct value *value)
{
    return kind_names[value->kind];
}

bool value_is_integer(const struct value *value, int64_t *integer)
{
    if (value->kind != V_INT && value->kind != V_BOOL)
        return false;
    *integer = value->kind == V_INT ? value->integer : value->boolean;
    return true;
}

bool value_is_number(const struct value *value)
{
    return value->kind == V_INT || value->kind == V_BOOL || value->kind == V_FLOAT;
}

double value_real(const struct value *number)
{
    int64_t integer;
    return value_is_integer(number, &integer) ? (double)integer : number->real;
}

bool value_is_sized(const struct value *value)
{
    switch (value->kind) {
    case V_TEXT:
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
    case V_RANGE:
    case V_VIEW:
        return true;
    default:
        return false;
    }
}

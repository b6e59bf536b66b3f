/* Names of the kinds of values; which of them are numbers or have a length. */
#include "jinja/values/types.h"

#define KIND_WORDS(constant, words) words,
static const char *const kind_names[] = {EACH_VALUE_KIND(KIND_WORDS)};

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
    return value->kind >= V_TEXT && value->kind <= V_VIEW;
}

/* Finding filters, tests and methods; checks of their arguments. */
#include "template/function.h"

#include "template/value.h"
#include "template/vm.h"

#include <string.h>

/* ---------------------------------------------------------------- finding */

const struct function *function_find(const struct function_table *table, struct span name)
{
    for (size_t i = 0; i < table->count; i++)
        if (span_equal(name, span_from(table->functions[i].name)))
            return &table->functions[i];
    return NULL;
}

bool function_is_refused(const struct function_table *table, struct span name)
{
    for (size_t i = 0; i < table->refused_count; i++)
        if (span_equal(name, span_from(table->refused[i])))
            return true;
    return false;
}

#define NAME_BYTES 64 /* longer names have no nearest one */

const char *function_nearest(const struct function_table *table, struct span name)
{
    const char *names[128];
    char wrong[NAME_BYTES];
    size_t count = 0;
    if (name.len >= sizeof(wrong))
        return NULL;
    memcpy(wrong, name.ptr, name.len);
    wrong[name.len] = '\0';
    for (; count < table->count && count < sizeof(names) / sizeof(names[0]); count++)
        names[count] = table->functions[count].name;
    return str_nearest(wrong, names, count);
}

/* ---------------------------------------------------------------- checks of arguments */

bool argument_given(const struct arguments *arguments, size_t i)
{
    return i < arguments->count && arguments->values[i].kind != V_MISSING;
}

int argument_truth(bool *out, struct vm *vm, const struct arguments *arguments, size_t i,
                   bool fallback)
{
    *out = fallback;
    return argument_given(arguments, i) ? value_truth(out, vm, &arguments->values[i]) : 0;
}

int argument_integer(int64_t *out, struct vm *vm, const struct arguments *arguments, size_t i,
                     int64_t fallback)
{
    *out = fallback;
    if (!argument_given(arguments, i) || value_is_integer(&arguments->values[i], out))
        return 0;
    if (arguments->values[i].kind == V_UNDEFINED)
        return vm_fail_undefined(vm, &arguments->values[i]);
    return vm_fail(vm, CODE_TYPE, "an integer is needed here, not %s",
                   value_kind_name(&arguments->values[i]));
}

int argument_count(int64_t *out, struct vm *vm, const struct arguments *arguments, size_t i,
                   int64_t fallback)
{
    *out = fallback;
    if (argument_given(arguments, i) && arguments->values[i].kind == V_NONE)
        return 0;
    return argument_integer(out, vm, arguments, i, fallback);
}

int argument_text(struct span *out, struct vm *vm, const struct arguments *arguments, size_t i)
{
    if (arguments->values[i].kind == V_TEXT) {
        *out = arguments->values[i].text;
        return 0;
    }
    if (arguments->values[i].kind == V_UNDEFINED)
        return vm_fail_undefined(vm, &arguments->values[i]);
    return vm_fail(vm, CODE_TYPE, "a text is needed here, not %s",
                   value_kind_name(&arguments->values[i]));
}

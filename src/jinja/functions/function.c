/* Finding and calling filters, tests and methods; checks of their arguments. */
#include "jinja/functions/function.h"

#include "jinja/run/vm.h"
#include "jinja/values/value.h"

#include <string.h>

/* ---------------------------------------------------------------- finding */

const struct function *function_find(const struct function_table *table, struct span name)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *row = table->functions[i].name;
        if (strncmp(row, name.ptr, name.len) == 0 && row[name.len] == '\0')
            return &table->functions[i];
    }
    return NULL;
}

bool function_is_refused(const struct function_table *table, struct span name)
{
    for (size_t i = 0; i < table->refused_count; i++)
        if (span_equal(name, span_from(table->refused[i])))
            return true;
    return false;
}

#define NAME_BYTES 64 /* longer names get no suggestion */

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

/* ---------------------------------------------------------------- calling */

static int fail_call(struct vm *vm, const struct function *function, const char *what,
                     struct span name)
{
    return vm_fail(vm, CODE_TYPE, "'%s' %s%s", function->name, what, vm_show(vm, name));
}

static struct span parameter_name(const char *parameter)
{
    return span_from(parameter + (*parameter == '/'));
}

static size_t parameter_count(const struct function *function)
{
    size_t count = 0;
    while (count < FUNCTION_PARAMETERS && function->parameters[count])
        count++;
    return count;
}

static int bind_keywords(struct value fixed[], struct vm *vm, const struct function *function,
                         const struct arguments *given)
{
    size_t count = parameter_count(function);
    for (size_t i = 0; given->keywords && i < given->keywords->count; i++) {
        const struct dict_entry *keyword = &given->keywords->entries[i];
        struct span name = keyword->key.text;
        size_t at = 0;
        while (at < count && !span_equal(name, span_from(function->parameters[at])))
            at++;
        if (at == count && !function->keywords)
            return fail_call(vm, function, "has no parameter ", name);
        if (at == count)
            continue;
        if (fixed[at].kind != V_MISSING)
            return fail_call(vm, function, "is given twice the parameter ", name);
        fixed[at] = keyword->value;
    }
    return 0;
}

/* Puts the arguments into `fixed` by parameter; those of a variadic function stay as they are. */
static int bind(struct value fixed[], struct vm *vm, const struct function *function,
                const struct arguments *given)
{
    if (!function->variadic && given->count > parameter_count(function))
        return fail_call(vm, function, "takes fewer arguments", span_of("", 0));
    for (size_t i = 0; !function->variadic && i < given->count; i++)
        fixed[i] = given->values[i];
    if (bind_keywords(fixed, vm, function, given))
        return -1;
    for (size_t i = 0; i < function->required; i++)
        if (fixed[i].kind == V_MISSING)
            return fail_call(vm, function, "lacks its argument ",
                             parameter_name(function->parameters[i]));
    return 0;
}

static int charge_call(struct vm *vm, const struct arguments *arguments)
{
    size_t bytes = arguments->self->kind == V_TEXT ? arguments->self->text.len : 0;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->values[i].kind == V_TEXT)
            bytes += arguments->values[i].text.len;
    return vm_charge_bytes(vm, bytes);
}

int function_call(struct value *out, struct vm *vm, const struct function *function,
                  const struct arguments *given)
{
    struct value fixed[FUNCTION_PARAMETERS] = {0};
    struct arguments bound = *given;
    if (bind(fixed, vm, function, given))
        return -1;
    if (!function->variadic) {
        bound.values = fixed;
        bound.count = FUNCTION_PARAMETERS;
    }
    bound.how = function->how;
    return charge_call(vm, &bound) ? -1 : function->body(out, vm, &bound);
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
    return vm_fail_kind(vm, "an integer is needed here", &arguments->values[i]);
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
    return vm_fail_kind(vm, "a text is needed here", &arguments->values[i]);
}

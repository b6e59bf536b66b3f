/* Finding and calling filters, tests and methods; checks of their arguments. */
#include "template/function.h"

#include "base/data.h"
#include "template/eval.h"
#include "template/loop.h"
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

/* ---------------------------------------------------------------- binding arguments */

struct call {
    struct vm *vm;
    const struct function *function;
    struct value fixed[FUNCTION_PARAMETERS];
    struct arguments arguments;
    uint32_t at;
};

static int fail_call(struct call *call, const char *format, struct span name)
{
    struct vm *vm = call->vm;
    vm->at = call->at;
    return vm_fail(vm, CODE_TYPE, "'%s' %s%s", call->function->name, format, vm_show(vm, name));
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

static int bind_positional(struct call *call, const struct call_args *args)
{
    const struct node_list *list = &args->positional;
    struct value *values = call->fixed;
    if (!call->function->variadic && list->count > parameter_count(call->function))
        return fail_call(call, "takes fewer arguments", span_of("", 0));
    if (list->count > FUNCTION_PARAMETERS)
        values = vm_alloc(call->vm, list->count * sizeof(*values));
    for (size_t i = 0; i < list->count; i++)
        if (eval(&values[i], call->vm, list->items[i]))
            return -1;
    call->arguments.values = values;
    call->arguments.count = list->count;
    return 0;
}

static int bind_extra(struct call *call, const struct keyword *keyword)
{
    struct value value, name = value_text(keyword->name);
    if (!call->function->keywords)
        return fail_call(call, "has no parameter ", keyword->name);
    if (!call->arguments.keywords)
        call->arguments.keywords = dict_new(call->vm).dict;
    return eval(&value, call->vm, keyword->value) ||
           dict_put(call->vm, call->arguments.keywords, &name, &value);
}

static int bind_keyword(struct call *call, const struct keyword *keyword)
{
    size_t count = parameter_count(call->function);
    for (size_t i = 0; i < count; i++) {
        if (!span_equal(keyword->name, span_from(call->function->parameters[i])))
            continue;
        if (call->fixed[i].kind != V_MISSING)
            return fail_call(call, "is given twice the parameter ", keyword->name);
        return eval(&call->fixed[i], call->vm, keyword->value);
    }
    return bind_extra(call, keyword);
}

static int bind(struct call *call, const struct call_args *args)
{
    if (bind_positional(call, args))
        return -1;
    for (const struct keyword *keyword = args->keywords; keyword; keyword = keyword->next)
        if (bind_keyword(call, keyword))
            return -1;
    for (size_t i = 0; i < call->function->required; i++)
        if (call->fixed[i].kind == V_MISSING)
            return fail_call(call, "lacks its argument ",
                             parameter_name(call->function->parameters[i]));
    if (!call->function->variadic)
        call->arguments.count = FUNCTION_PARAMETERS;
    return 0;
}

int function_call(struct value *out, struct vm *vm, const struct function *function,
                  const struct value *self, const struct call_args *args)
{
    struct call call = {.vm = vm, .function = function, .at = vm->at};
    if (bind(&call, args) || vm_charge(vm, 1))
        return -1;
    vm->at = call.at;
    return function->body(out, vm, self, &call.arguments);
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

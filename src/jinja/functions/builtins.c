/* Built-in functions: range, dict, namespace, cycler, joiner. */
#include "jinja/functions/builtins.h"

#include "jinja/functions/method_bodies.h"
#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/value.h"

static int range_call(struct value *out, struct vm *vm, const struct arguments *given)
{
    int64_t start, stop, step;
    bool two = argument_given(given, 1);
    if (argument_integer(&start, vm, given, 0, 0) || argument_integer(&stop, vm, given, 1, 0) ||
        argument_integer(&step, vm, given, 2, 1))
        return -1;
    return range_new(out, vm, two ? start : 0, two ? stop : start, step);
}

static int dict_call(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value none;
    *out = dict_new(vm);
    struct arguments update = *given;
    update.self = out;
    return dict_update(&none, vm, &update);
}

static int namespace_call(struct value *out, struct vm *vm, const struct arguments *given)
{
    if (dict_call(out, vm, given))
        return -1;
    out->kind = V_NAMESPACE;
    return 0;
}

static int cycler_call(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value items = list_new(vm, V_TUPLE, given->count);
    if (given->count == 0)
        return vm_fail(vm, CODE_TYPE, "'cycler' takes at least one value");
    if (list_push_all(vm, items.list, given->values, given->count))
        return -1;
    *out = (struct value){.kind = V_CYCLER, .cycler = vm_alloc(vm, sizeof(*out->cycler))};
    *out->cycler = (struct cycler){items.list, 0};
    return 0;
}

int cycler_next(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct cycler *cycler = given->self->cycler;
    (void)vm;
    *out = cycler->items->items[cycler->pos];
    cycler->pos = (cycler->pos + 1) % cycler->items->count;
    return 0;
}

int cycler_reset(struct value *out, struct vm *vm, const struct arguments *given)
{
    (void)vm;
    given->self->cycler->pos = 0;
    *out = value_none();
    return 0;
}

static int joiner_call(struct value *out, struct vm *vm, const struct arguments *given)
{
    *out = (struct value){.kind = V_JOINER, .joiner = vm_alloc(vm, sizeof(*out->joiner))};
    out->joiner->separator =
        argument_given(given, 0) ? given->values[0] : value_text(span_from(", "));
    out->joiner->used = false;
    return 0;
}

/* Returns nothing the first time, then the separator. */
static int joiner_next(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    (void)vm;
    *out = self->joiner->used ? self->joiner->separator : value_text(span_from(""));
    self->joiner->used = true;
    return 0;
}

const struct function joiner_function = {.name = "joiner", joiner_next};

static const struct function rows[] = {
    {.name = "cycler", cycler_call, .variadic = true},
    {.name = "dict", dict_call, {"/mapping"}, .keywords = true},
    {.name = "joiner", joiner_call, {"sep"}},
    {.name = "namespace", namespace_call, {"/mapping"}, .keywords = true},
    {.name = "range", range_call, {"/start", "/stop", "/step"}, 1},
};

static const char *const refused[] = {"lipsum"};

const struct function_table builtins = {FUNCTIONS(rows), REFUSED(refused)};

struct value builtin_find(struct span name)
{
    const struct function *function = function_find(&builtins, name);
    return function ? (struct value){.kind = V_BUILTIN, .function = function}
                    : (struct value){.kind = V_MISSING};
}

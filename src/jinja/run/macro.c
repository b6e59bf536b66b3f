/* Macros: made by `macro` and `call`, called like functions. */
#include "jinja/run/macro.h"

#include "jinja/functions/function.h"
#include "jinja/run/eval.h"
#include "jinja/run/frame.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/scope.h"
#include "jinja/values/value.h"

struct value macro_new(struct vm *vm, const struct macro_code *code)
{
    struct closure *macro = vm_alloc(vm, sizeof(*macro));
    *macro = (struct closure){code, vm->frame};
    return (struct value){.kind = V_MACRO, .macro = macro};
}

static const char *macro_name(struct vm *vm, const struct macro_code *code)
{
    return code->name.len ? vm_show(vm, code->name) : "caller";
}

/* ---------------------------------------------------------------- arguments */

/* A call of a macro: the given arguments, and the macro's variables. */
struct binding {
    const struct macro_code *code;
    const struct arguments *given;
    struct value *slots;
};

static int bind_positional(struct vm *vm, struct binding *call)
{
    const struct macro_code *code = call->code;
    struct value rest = code->varargs ? list_new(vm, V_TUPLE, 0) : value_none();
    for (size_t i = 0; i < call->given->count; i++) {
        if (i < code->count)
            call->slots[code->parameters[i].symbol->slot] = call->given->values[i];
        else if (!code->varargs)
            return vm_fail(vm, CODE_TYPE, "'%s' takes at most %zu arguments", macro_name(vm, code),
                           code->count);
        else if (list_push(vm, rest.list, &call->given->values[i]))
            return -1;
    }
    if (code->varargs)
        call->slots[code->varargs->slot] = rest;
    return 0;
}

/* The free parameter with that name, or NULL. */
static const struct symbol *find_parameter(const struct binding *call, struct span name)
{
    const struct macro_code *code = call->code;
    for (size_t i = call->given->count; i < code->count; i++)
        if (span_equal(code->parameters[i].name, name))
            return code->parameters[i].symbol;
    return code->caller && span_equal(name, span_from("caller")) ? code->caller : NULL;
}

static int bind_keywords(struct vm *vm, struct binding *call)
{
    const struct macro_code *code = call->code;
    const struct dict *keywords = call->given->keywords;
    struct value rest = code->kwargs ? dict_new(vm) : value_none();
    for (size_t i = 0; keywords && i < keywords->count; i++) {
        const struct dict_entry *entry = &keywords->entries[i];
        const struct symbol *symbol = find_parameter(call, entry->key.text);
        if (vm_charge(vm, code->count / 8))
            return -1;
        if (symbol)
            call->slots[symbol->slot] = entry->value;
        else if (!code->kwargs && span_equal(entry->key.text, span_from("caller")))
            return vm_fail(vm, CODE_TYPE,
                           "'%s' mentions no caller(), and so cannot be called by 'call'",
                           macro_name(vm, code));
        else if (!code->kwargs)
            return vm_fail(vm, CODE_TYPE, "'%s' has no parameter '%s' left", macro_name(vm, code),
                           vm_show(vm, entry->key.text));
        else if (dict_put(vm, rest.dict, &entry->key, &entry->value))
            return -1;
    }
    if (code->kwargs)
        call->slots[code->kwargs->slot] = rest;
    return 0;
}

/* Missing arguments are undefined; errors about them blame the call. */
static void bind_rest(struct vm *vm, struct binding *call)
{
    const struct macro_code *code = call->code;
    for (size_t i = 0; i < code->count; i++) {
        const struct parameter *parameter = &code->parameters[i];
        struct value *slot = &call->slots[parameter->symbol->slot];
        if (slot->kind == V_MISSING && !parameter->fallback)
            *slot = vm_undefined_reason(
                vm, arena_printf(vm->arena, "the parameter '%s' of '%s' was not given",
                                 vm_show(vm, parameter->name), macro_name(vm, code)));
    }
    struct value *caller = code->caller ? &call->slots[code->caller->slot] : NULL;
    if (caller && (caller->kind == V_MISSING || caller->kind == V_NONE))
        *caller = vm_undefined_reason(vm, "there is no caller: the macro was not called by 'call'");
}

/* Jinja2 passes the caller twice, and fails. */
static int check_caller(struct vm *vm, const struct binding *call)
{
    const struct macro_code *code = call->code;
    if (!code->uses_caller || code->caller || call->given->count >= code->count)
        return 0;
    for (size_t i = 0; i < call->given->count; i++)
        if (span_equal(code->parameters[i].name, span_from("caller")))
            return vm_fail(vm, CODE_TYPE, "'caller' must be given by name");
    return 0;
}

static int bind(struct vm *vm, struct binding *call)
{
    if (check_caller(vm, call) || bind_positional(vm, call) || bind_keywords(vm, call))
        return -1;
    bind_rest(vm, call);
    return 0;
}

/* ---------------------------------------------------------------- calls */

static int run_macro(struct value *out, struct vm *vm, const struct macro_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct parameter *parameter = &code->parameters[i];
        struct value value, *slot = &vm->frame->slots[parameter->symbol->slot];
        if (slot->kind != V_MISSING)
            continue;
        if (eval(&value, vm, parameter->fallback))
            return -1;
        *slot = value;
    }
    return capture_body(out, vm, code->body);
}

int macro_call(struct value *out, struct vm *vm, const struct value *callee,
               const struct arguments *arguments)
{
    const struct closure *macro = callee->macro;
    const struct frame as = {.program = macro->frame->program,
                             .routine = macro->code->routine,
                             .up = macro->frame,
                             .context = macro->frame->context};
    struct frame *outer;
    uint32_t at = vm->at;
    if (frame_begin(&outer, vm, &as, macro->code->scope))
        return -1;
    struct frame *inner = vm->frame;
    struct binding call = {macro->code, arguments, inner->slots};
    vm->frame = outer;
    if (bind(vm, &call))
        return -1;
    vm->frame = inner;
    int rc = run_macro(out, vm, macro->code);
    vm->frame = outer;
    vm->at = at;
    return rc && as.program != outer->program ? frame_trace(vm, "called from", at) : rc;
}

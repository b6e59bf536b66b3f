/* Frames and scopes: the variables of the code being rendered. */
#include "jinja/run/frame.h"

#include "base/limits.h"
#include "jinja/run/context.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"

/* The limit on nested expressions across all calls: it bounds the program's stack. */
#define WEIGHT_IN_ALL (16 * LIMIT_TEMPLATE_NESTING)

static bool is_template(const struct frame *frame)
{
    return frame->routine == frame->program->routine;
}

static int fail_calls(struct vm *vm, const struct frame *as)
{
    for (const struct frame *frame = vm->frame; frame && is_template(as); frame = frame->caller)
        if (frame->program == as->program && is_template(frame))
            return vm_fail(vm, CODE_LIMIT,
                           "templates go in a circle: '%s' comes again and again, more than %zu "
                           "deep",
                           vm_show(vm, span_from(as->program->name)), LIMIT_TEMPLATE_CALLS);
    return vm_fail(vm, CODE_LIMIT, "templates and macros call each other more than %zu deep",
                   LIMIT_TEMPLATE_CALLS);
}

int frame_begin(struct frame **outer, struct vm *vm, const struct frame *as,
                const struct scope *scope)
{
    struct frame *frame = vm_alloc(vm, sizeof(*frame));
    *outer = vm->frame;
    *frame = *as;
    frame->caller = *outer;
    frame->calls = *outer ? (*outer)->calls + 1 : 0;
    frame->weight = *outer ? (*outer)->weight : 0;
    if (frame->calls > LIMIT_TEMPLATE_CALLS)
        return fail_calls(vm, as);
    if (frame->weight > WEIGHT_IN_ALL)
        return vm_fail(vm, CODE_LIMIT,
                       "expressions are nested more than %zu deep, with those of "
                       "all templates and macros that call each other",
                       WEIGHT_IN_ALL);
    frame->slots = vm_alloc(vm, frame->routine->slot_count * sizeof(*frame->slots));
    vm->frame = frame;
    return scope_enter(vm, scope);
}

int frame_trace(struct vm *vm, const char *how, size_t offset)
{
    ERR_SCRATCH(place);
    (void)program_error_at(vm->frame->program, offset, &place);
    return err_trace(vm->err, "%s %s:%zu:%zu", how, vm->frame->program->path, place.where.line,
                     place.where.column);
}

/* ---------------------------------------------------------------- scopes */

static const struct value *outer_value(const struct frame *frame, const struct symbol *symbol)
{
    for (size_t hops = symbol->depth - symbol->outer->depth; hops; hops--)
        frame = frame->up;
    return &frame->slots[symbol->outer->slot];
}

int scope_enter(struct vm *vm, const struct scope *scope)
{
    struct value *slots = vm->frame->slots;
    bool at_once = vm->frame->context->vars != NULL; /* the name may mean another thing later */
    size_t count = 0;
    for (const struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next, count++) {
        switch (symbol->load) {
        case LOAD_PARAMETER:
        case LOAD_UNDEFINED:
            slots[symbol->slot].kind = V_MISSING;
            break;
        case LOAD_RESOLVE:
            slots[symbol->slot].kind = V_UNRESOLVED;
            if (at_once && context_find(&slots[symbol->slot], vm, symbol->name))
                return -1;
            break;
        case LOAD_ALIAS:
            slots[symbol->slot] = *outer_value(vm->frame, symbol);
            break;
        }
    }
    vm_owe(vm, count / 8);
    return 0;
}

void scope_leave(struct vm *vm, const struct scope *scope)
{
    if (!scope->captured)
        return;
    for (const struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next)
        vm->frame->slots[symbol->slot].kind = V_MISSING;
}

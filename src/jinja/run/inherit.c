/* Templates that extend others, and their blocks. */
#include "jinja/run/inherit.h"

#include "jinja/functions/function.h"
#include "jinja/run/block.h"
#include "jinja/run/capture.h"
#include "jinja/run/context.h"
#include "jinja/run/frame.h"
#include "jinja/run/load.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"

/* ---------------------------------------------------------------- templates */

static void set_self(struct vm *vm, const struct symbol *self)
{
    if (self)
        vm->frame->slots[self->slot] =
            (struct value){.kind = V_SELF, .context = vm->frame->context};
}

int program_begin(struct frame **outer, struct vm *vm, const struct frame *as)
{
    if (frame_begin(outer, vm, as, as->program->root))
        return -1;
    if (as->program->uses_self)
        set_self(vm, scope_own(as->program->root, span_from("self")));
    return 0;
}

/* The template that is extended goes on in the same context. */
static int run_parent(struct vm *vm)
{
    const struct program *parent = vm->frame->parent;
    const struct frame as = {
        .program = parent, .routine = parent->routine, .context = vm->frame->context};
    struct frame *outer;
    vm->at = vm->frame->parent_at;
    if (program_begin(&outer, vm, &as))
        return -1;
    int rc = program_run(vm);
    frame_end(vm, outer);
    return rc ? frame_trace(vm, "extended from", outer->parent_at) : 0;
}

int program_run(struct vm *vm)
{
    if (vm->run(vm, vm->frame->program->body))
        return -1;
    return vm->frame->parent ? run_parent(vm) : 0;
}

int exec_extends(struct vm *vm, const struct statement *statement)
{
    static const struct loading loading = {"extend", "extended from"};
    struct program *parent;
    vm->at = statement->extends->offset;
    if (load_must(&parent, vm, &statement->extends->value, &loading))
        return -1;
    vm->frame->parent = parent;
    vm->frame->parent_at = statement->extends->offset;
    return context_add_blocks(vm, vm->frame->context, parent);
}

/* ---------------------------------------------------------------- blocks */

/* Renders a level of a block. */
static int run_level(struct vm *vm, const void *what)
{
    const struct block *block = what;
    const struct block_code *code = block->level->code;
    const struct frame as = {
        .program = block->level->program, .routine = code->routine, .context = block->context};
    struct frame *outer;
    uint32_t at = vm->at;
    if (frame_begin(&outer, vm, &as, code->scope))
        return -1;
    set_self(vm, code->self);
    if (code->super)
        vm->frame->slots[code->super->slot] = block_refer(vm, block->context, block->level->parent);
    int rc = vm->run(vm, code->body);
    frame_end(vm, outer);
    vm->at = at;
    return rc && as.program != outer->program ? frame_trace(vm, "called from", at) : rc;
}

int exec_block(struct vm *vm, const struct statement *statement)
{
    const struct block_code *code = statement->block;
    struct block block = {.context = vm->frame->context};
    if (code->inherited)
        return 0;
    vm->at = (uint32_t)code->offset;
    block.level = context_block(vm, block.context, code->name);
    if (code->required && !block.level->parent)
        return vm_fail(vm, CODE_SYNTAX, "the block '%s' is required, and nothing fills it",
                       vm_show(vm, code->name));
    if (code->scoped) {
        struct context *derived = vm_alloc(vm, sizeof(*derived));
        if (snapshot_new(&derived->outer, vm, code->around))
            return -1;
        derived->blocks = block.context->blocks;
        block.context = derived;
    }
    return run_level(vm, &block);
}

int block_call(struct value *out, struct vm *vm, const struct value *callee,
               const struct arguments *arguments)
{
    if (arguments->count || arguments->keywords)
        return vm_fail(vm, CODE_TYPE, "a block takes no arguments");
    return capture(out, vm, run_level, callee->block);
}

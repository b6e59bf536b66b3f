/* Template inheritance and blocks; templates as values. */
#include "jinja/run/inherit.h"

#include "jinja/functions/function.h"
#include "jinja/run/context.h"
#include "jinja/run/eval.h"
#include "jinja/run/frame.h"
#include "jinja/run/load.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"
#include "jinja/values/value.h"

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

int program_render(struct vm *vm, const struct program *program, const struct context *context,
                   const char *how, uint32_t at)
{
    const struct frame as = {.program = program, .routine = program->routine, .context = context};
    struct frame *outer;
    if (program_begin(&outer, vm, &as))
        return -1;
    int rc = program_run(vm);
    vm->frame = outer;
    return rc ? frame_trace(vm, how, at) : 0;
}

int program_run(struct vm *vm)
{
    if (vm->run(vm, vm->frame->program->body))
        return -1;
    if (!vm->frame->parent)
        return 0;
    vm->at = vm->frame->parent_at; /* the extended template continues in the same context */
    return program_render(vm, vm->frame->parent, vm->frame->context, "extended from", vm->at);
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

/* Renders a definition of a block. */
static int run_definition(struct vm *vm, const void *what)
{
    const struct block *block = what;
    const struct block_code *code = block->definition->code;
    const struct frame as = {
        .program = block->definition->program, .routine = code->routine, .context = block->context};
    struct frame *outer;
    uint32_t at = vm->at;
    if (frame_begin(&outer, vm, &as, code->scope))
        return -1;
    set_self(vm, code->self);
    if (code->super)
        vm->frame->slots[code->super->slot] =
            block_refer(vm, block->context, block->definition->parent);
    int rc = vm->run(vm, code->body);
    vm->frame = outer;
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
    block.definition = context_block(vm, block.context, code->name);
    if (code->required && !block.definition->parent)
        return vm_fail(vm, CODE_SYNTAX, "the block '%s' is required, and nothing fills it",
                       vm_show(vm, code->name));
    if (code->scoped) {
        struct context *derived = vm_alloc(vm, sizeof(*derived));
        if (snapshot_new(&derived->outer, vm, code->around))
            return -1;
        derived->blocks = block.context->blocks;
        block.context = derived;
    }
    return run_definition(vm, &block);
}

int block_call(struct value *out, struct vm *vm, const struct value *callee,
               const struct arguments *arguments)
{
    if (arguments->count || arguments->keywords)
        return vm_fail(vm, CODE_TYPE, "a block takes no arguments");
    return capture(out, vm, run_definition, callee->block);
}

/* ---------------------------------------------------------------- modules */

static int run_program(struct vm *vm, const void *what)
{
    (void)what;
    return program_run(vm);
}

static int collect_members(struct module *module, struct vm *vm, const struct context *context)
{
    module->members = dict_new(vm).dict;
    for (size_t i = 0; i < context->exports->count; i++) {
        const struct dict_entry *entry = &context->exports->entries[i];
        const struct value *value = dict_find_text(vm, context->vars, entry->key.text);
        if (vm_charge(vm, 1) ||
            (entry->value.boolean && value && dict_put(vm, module->members, &entry->key, value)))
            return -1;
    }
    return 0;
}

/* Renders the program; the variables that it has set are the module. */
static int module_new(struct module **out, struct vm *vm, const struct program *program,
                      struct context *context, const char *how)
{
    struct module *module = *out = vm_alloc(vm, sizeof(*module));
    const struct frame as = {.program = program, .routine = program->routine, .context = context};
    struct frame *outer;
    uint32_t at = vm->at;
    module->program = program;
    if (program_begin(&outer, vm, &as))
        return -1;
    int rc = capture(&module->text, vm, run_program, NULL) || collect_members(module, vm, context);
    vm->frame = outer;
    vm->at = at;
    return rc ? frame_trace(vm, how, at) : 0;
}

/* A linear search, which is charged for: templates import few others. */
static struct module *find_module(struct vm *vm, const struct program *program)
{
    struct module *module = vm->modules;
    size_t passed = 0;
    for (; module && module->program != program; module = module->next)
        passed++;
    vm_owe(vm, passed / 4);
    return module;
}

int module_bare(struct module **out, struct vm *vm, const struct program *program, const char *how)
{
    struct context *context;
    *out = find_module(vm, program);
    if (*out)
        return 0;
    if (context_new(&context, vm, program, true))
        return -1;
    context->bare = true;
    if (module_new(out, vm, program, context, how))
        return -1;
    (*out)->next = vm->modules;
    vm->modules = *out;
    return 0;
}

int module_import(struct module **out, struct vm *vm, const struct statement *statement)
{
    static const struct loading loading = {"import", "imported from"};
    struct program *program;
    struct context *context;
    struct value name;
    if (eval(&name, vm, statement->include.name))
        return -1;
    vm->at = statement->include.name->offset;
    if (load_must(&program, vm, &name, &loading))
        return -1;
    if (!statement->include.with_context)
        return module_bare(out, vm, program, loading.how);
    if (context_new(&context, vm, program, true) ||
        snapshot_new(&context->outer, vm, statement->include.scope))
        return -1;
    return module_new(out, vm, program, context, loading.how);
}

int module_member(struct value *out, struct vm *vm, const struct module *module, struct span name)
{
    const struct value *found = dict_find_text(vm, module->members, name);
    if (found)
        *out = *found;
    else
        *out = vm_undefined_reason(vm,
                                   arena_printf(vm->arena, "the template '%s' does not export '%s'",
                                                module->program->name, vm_show(vm, name)));
    return 0;
}

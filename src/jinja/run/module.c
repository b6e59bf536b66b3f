/* Other templates as values: `import` and `from`; and the text of `include ... without context`. */
#include "jinja/run/module.h"

#include "jinja/run/capture.h"
#include "jinja/run/context.h"
#include "jinja/run/eval.h"
#include "jinja/run/frame.h"
#include "jinja/run/inherit.h"
#include "jinja/run/load.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"
#include "jinja/values/value.h"

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

/* Renders the program; what it has set then is the module. */
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
    frame_end(vm, outer);
    vm->at = at;
    return rc ? frame_trace(vm, how, at) : 0;
}

/* One after the other, which is paid for: templates import few others, and those first seen last.
 */
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

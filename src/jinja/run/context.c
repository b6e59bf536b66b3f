/* The names that a template inherits from outside: Jinja2's contexts, and lookups in them. */
#include "jinja/run/context.h"

#include "data/data.h"
#include "jinja/functions/builtins.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"
#include "jinja/values/value.h"

#include <string.h>

/* Variables as they were when a template was included or imported. */
struct snapshot {
    const struct scope *scope;
    const struct frame *frame; /* copied, together with those around it */
    struct dict *vars;
    const struct snapshot *outer;
    bool bare;
};

/* ---------------------------------------------------------------- blocks */

static struct block_definition *definition_new(struct vm *vm, const struct program *program,
                                               const struct block_code *code)
{
    struct block_definition *definition = vm_alloc(vm, sizeof(*definition));
    *definition = (struct block_definition){program, code, NULL};
    return definition;
}

struct value block_refer(struct vm *vm, const struct context *context,
                         struct block_definition *definition)
{
    if (!definition)
        return vm_undefined_reason(vm, "no template that is extended has this block");
    struct block *block = vm_alloc(vm, sizeof(*block));
    *block = (struct block){context, definition};
    return (struct value){.kind = V_BLOCK, .block = block};
}

static struct value block_value(struct vm *vm, const struct program *program,
                                const struct block_code *code)
{
    return block_refer(vm, NULL, definition_new(vm, program, code));
}

static void block_append(struct vm *vm, struct value *block, const struct program *program,
                         const struct block_code *code)
{
    struct block_definition *last = block->block->definition;
    for (; last->parent; last = last->parent)
        ;
    last->parent = definition_new(vm, program, code);
}

int context_add_blocks(struct vm *vm, const struct context *context, const struct program *program)
{
    for (const struct block_code *code = program->blocks; code; code = code->next) {
        struct value value, key = value_text(code->name), *found;
        if (vm_charge(vm, 1) || dict_find(&found, vm, context->blocks, &key))
            return -1;
        if (found) {
            block_append(vm, found, program, code);
        } else {
            value = block_value(vm, program, code);
            if (dict_put(vm, context->blocks, &key, &value))
                return -1;
        }
    }
    return 0;
}

int context_new(struct context **out, struct vm *vm, const struct program *program, bool keeps)
{
    struct context *context = *out = vm_alloc(vm, sizeof(*context));
    if (!keeps && !program->blocks && !program->extends)
        return 0;
    context->vars = dict_new(vm).dict;
    context->exports = dict_new(vm).dict;
    context->blocks = dict_new(vm).dict;
    return context_add_blocks(vm, context, program);
}

struct block_definition *context_block(struct vm *vm, const struct context *context,
                                       struct span name)
{
    const struct value *found = context->blocks ? dict_find_text(vm, context->blocks, name) : NULL;
    return found ? found->block->definition : NULL;
}

/* ---------------------------------------------------------------- snapshots */

static const struct frame *frame_copy(struct vm *vm, const struct frame *frame)
{
    size_t count = frame->routine->slot_count, bytes = count * sizeof(*frame->slots);
    struct frame *copy = vm_alloc(vm, sizeof(*copy));
    *copy = *frame;
    copy->slots = vm_alloc(vm, bytes);
    if (count)
        memcpy(copy->slots, frame->slots, bytes);
    vm_owe(vm, count / 8);
    if (frame->up)
        copy->up = frame_copy(vm, frame->up);
    return copy;
}

static int vars_copy(struct dict **out, struct vm *vm, const struct dict *vars)
{
    *out = vars ? dict_new(vm).dict : NULL;
    for (size_t i = 0; vars && i < vars->count; i++)
        if (vm_charge(vm, 1) || dict_put(vm, *out, &vars->entries[i].key, &vars->entries[i].value))
            return -1;
    return 0;
}

int snapshot_new(const struct snapshot **out, struct vm *vm, const struct scope *scope)
{
    const struct frame *frame = vm->frame;
    const struct context *context = frame->context;
    struct snapshot *snapshot = vm_alloc(vm, sizeof(*snapshot));
    *out = snapshot;
    snapshot->scope = scope;
    snapshot->frame = frame_copy(vm, frame);
    snapshot->outer = context->outer;
    snapshot->bare = context->bare;
    return vars_copy(&snapshot->vars, vm, context->vars);
}

static bool is_set(const struct value *value)
{
    return value && value->kind != V_MISSING && value->kind != V_UNRESOLVED;
}

static const struct value *find_in_snapshot(struct vm *vm, const struct snapshot *snapshot,
                                            struct span name)
{
    const struct symbol *symbol = NULL;
    const struct frame *frame = snapshot->frame;
    size_t looked = 0;
    for (const struct scope *scope = snapshot->scope; scope && !symbol; scope = scope->parent) {
        symbol = scope_own(scope, name);
        looked++;
    }
    vm_owe(vm, looked);
    for (; symbol && frame->routine->depth > symbol->depth; frame = frame->up)
        ;
    const struct value *value = symbol ? &frame->slots[symbol->slot] : NULL;
    return is_set(value) || !snapshot->vars ? value : dict_find_text(vm, snapshot->vars, name);
}

/* ---------------------------------------------------------------- names */

/* Lists and mappings of the context are made once: all templates of a render share them. */
static int share(struct value *out, struct vm *vm, struct span name, const struct data *data)
{
    struct value key = value_text(name), *found;
    *out = (struct value){.kind = V_MISSING};
    if (data->kind != DATA_LIST && data->kind != DATA_MAP) {
        *out = value_from_data(vm, data);
        return 0;
    }
    if (!vm->shared)
        vm->shared = dict_new(vm).dict;
    if (dict_find(&found, vm, vm->shared, &key))
        return -1;
    *out = found ? *found : value_from_data(vm, data);
    return found ? 0 : dict_put(vm, vm->shared, &key, out);
}

/* Looks in the template and those around it, then in the data, then in the built-in functions. */
int context_find(struct value *out, struct vm *vm, struct span name)
{
    const struct context *context = vm->frame->context;
    const struct value *value = context->vars ? dict_find_text(vm, context->vars, name) : NULL;
    bool bare = context->bare;
    for (const struct snapshot *snapshot = context->outer; snapshot && !is_set(value);
         snapshot = snapshot->outer) {
        value = find_in_snapshot(vm, snapshot, name);
        bare = snapshot->bare;
    }
    if (is_set(value)) {
        *out = *value;
        return 0;
    }
    const struct data *data = bare ? NULL : data_get_span(vm->context, name);
    if (data)
        return share(out, vm, name, data);
    *out = builtin_find(name);
    return 0;
}

int context_keep(struct vm *vm, struct span name, const struct value *value, bool exported)
{
    const struct context *context = vm->frame->context;
    struct value key = value_text(name);
    struct value is_exported = value_bool(exported && name.len && name.ptr[0] != '_');
    if (!context->vars)
        return 0;
    return dict_put(vm, context->vars, &key, value) ||
           dict_put(vm, context->exports, &key, &is_exported);
}

/* Executing statements: one function for each kind. */
#include "jinja/run/exec.h"

#include "base/limits.h"
#include "jinja/run/context.h"
#include "jinja/run/eval.h"
#include "jinja/run/frame.h"
#include "jinja/run/inherit.h"
#include "jinja/run/load.h"
#include "jinja/run/loop.h"
#include "jinja/run/macro.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"
#include "jinja/values/iterate.h"
#include "jinja/values/object.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

/* Executes a body in a new scope. */
static int exec_scope(struct vm *vm, const struct scope *scope, const struct statement *body)
{
    if (scope_enter(vm, scope) || exec_body(vm, body))
        return -1;
    scope_leave(vm, scope);
    return 0;
}

/* ---------------------------------------------------------------- assignments */

static int assign(struct vm *vm, const struct node *target, const struct value *value);

static int unpack(struct vm *vm, const struct node *target, const struct value *value)
{
    struct iterator *iterator;
    struct value item;
    size_t count = target->items.count, i = 0;
    int rc;
    if (iterator_open(&iterator, vm, value))
        return -1;
    while ((rc = iterator_next(&item, vm, iterator)) > 0 && i < count) {
        if (assign(vm, target->items.items[i++], &item))
            return -1;
        vm->at = target->offset;
    }
    if (rc < 0)
        return -1;
    if (i < count)
        return vm_fail(vm, CODE_TYPE, "%zu values are needed here, not %zu", count, i);
    return rc > 0 ? vm_fail(vm, CODE_TYPE, "more than %zu values are to be unpacked here", count)
                  : 0;
}

static int assign_attribute(struct vm *vm, const struct node *target, const struct value *value)
{
    struct value object, name = value_text(target->member.name);
    if (eval(&object, vm, target->member.object))
        return -1;
    return dict_put(vm, object.dict, &name, value);
}

/* Only namespaces have assignable attributes. Checked before any assignment. */
static int check_namespaces(struct vm *vm, const struct node *target)
{
    struct value object;
    for (size_t i = 0; target->kind == N_TUPLE && i < target->items.count; i++)
        if (check_namespaces(vm, target->items.items[i]))
            return -1;
    if (target->kind != N_NAMESPACED)
        return 0;
    if (eval(&object, vm, target->member.object))
        return -1;
    vm->at = target->offset;
    if (object.kind == V_UNDEFINED)
        return vm_fail_undefined(vm, &object);
    if (object.kind == V_NAMESPACE)
        return namespace_hides(target->member.name)
                   ? vm_fail(vm, CODE_SYNTAX,
                             "the attribute '%s' of %s is not in the template language",
                             vm_show(vm, target->member.name), value_kind_name(&object))
                   : 0;
    (void)vm_fail(vm, CODE_TYPE, "the attributes of %s cannot be assigned to",
                  value_kind_name(&object));
    return err_hint(vm->err, "begin with {%% set %s = namespace() %%}",
                    vm_show(vm, target->member.object->name.name));
}

/* Makes variables of the template itself visible to others. */
static int keep(struct vm *vm, const struct node *target)
{
    for (size_t i = 0; target->kind == N_TUPLE && i < target->items.count; i++)
        if (keep(vm, target->items.items[i]))
            return -1;
    return target->kind == N_NAME ? context_keep(vm, target->name.name,
                                                 &vm->frame->slots[target->name.symbol->slot], true)
                                  : 0;
}

static int assign(struct vm *vm, const struct node *target, const struct value *value)
{
    vm->at = target->offset;
    if (target->kind == N_TUPLE)
        return unpack(vm, target, value);
    if (target->kind == N_NAMESPACED)
        return assign_attribute(vm, target, value);
    vm->frame->slots[target->name.symbol->slot] = *value;
    return 0;
}

/* ---------------------------------------------------------------- text and output */

static int check_output(struct vm *vm, const struct statement *statement)
{
    if (!vm->out->overflowed)
        return 0;
    vm->at = statement->offset;
    return vm_fail(vm, CODE_LIMIT, "the rendered text is longer than %zu bytes", vm->out->max);
}

static int exec_text(struct vm *vm, const struct statement *statement)
{
    if (statement->silent)
        return 0;
    (void)buf_append(vm->out, statement->text.ptr, statement->text.len);
    return check_output(vm, statement);
}

static int exec_output(struct vm *vm, const struct statement *statement)
{
    struct value value;
    if (statement->silent)
        return 0;
    if (eval(&value, vm, statement->output))
        return -1;
    vm->at = statement->output->offset;
    if (value_print(vm->out, vm, &value))
        return -1;
    return check_output(vm, statement);
}

/* ---------------------------------------------------------------- if */

static int exec_if(struct vm *vm, const struct statement *statement)
{
    for (const struct if_branch *branch = statement->branches; branch; branch = branch->next) {
        struct value value;
        bool truth = true;
        if (branch->test && eval(&value, vm, branch->test))
            return -1;
        vm->at = branch->test ? branch->test->offset : statement->offset;
        if (branch->test && value_truth(&truth, vm, &value))
            return -1;
        if (truth)
            return exec_body(vm, branch->body);
    }
    return 0;
}

/* ---------------------------------------------------------------- for */

/* The iterator of "for TARGET in ITERABLE if TEST". */
struct tested {
    const struct statement *statement;
    struct iterator *all;
};

/* Rebuilds an item that passed the test from the variables: a tuple, whatever it was before. */
static struct value target_value(struct vm *vm, const struct node *target)
{
    if (target->kind == N_NAME)
        return vm->frame->slots[target->name.symbol->slot];
    struct value tuple = list_new(vm, V_TUPLE, target->items.count);
    for (size_t i = 0; i < target->items.count; i++)
        tuple.list->items[i] = target_value(vm, target->items.items[i]);
    tuple.list->count = target->items.count;
    return tuple;
}

static int next_of_tested(struct value *out, struct vm *vm, struct iterator *iterator)
{
    const struct tested *tested = iterator->more;
    const struct statement *statement = tested->statement;
    int rc;
    while ((rc = iterator_next(out, vm, tested->all)) > 0) {
        struct value value;
        bool truth;
        if (assign(vm, statement->loop.test_target, out) || eval(&value, vm, statement->loop.test))
            return -1;
        vm->at = statement->loop.test->offset;
        if (value_truth(&truth, vm, &value))
            return -1;
        if (truth) {
            *out = target_value(vm, statement->loop.test_target);
            return 1;
        }
    }
    return rc;
}

static int open_loop(struct loop *loop, struct vm *vm, const struct statement *statement)
{
    *loop = (struct loop){.index0 = SIZE_MAX,
                          .current = {.kind = V_MISSING},
                          .after = {.kind = V_MISSING},
                          .changed = {.kind = V_MISSING}};
    if (eval(&loop->iterable, vm, statement->loop.iterable))
        return -1;
    vm->at = statement->loop.iterable->offset;
    if (iterator_open(&loop->iterator, vm, &loop->iterable))
        return -1;
    loop->sized = value_is_sized(&loop->iterable) && !statement->loop.test;
    if (!statement->loop.test)
        return 0;
    struct tested *tested = vm_alloc(vm, sizeof(*tested));
    *tested = (struct tested){statement, loop->iterator};
    loop->iterator = iterator_of(vm, next_of_tested, &loop->iterable, tested).iterator;
    return scope_enter(vm, statement->loop.test_scope);
}

static int exec_iteration(struct vm *vm, const struct statement *statement, struct loop *loop,
                          const struct value *item)
{
    if (scope_enter(vm, statement->loop.body_scope))
        return -1;
    if (statement->loop.loop)
        vm->frame->slots[statement->loop.loop->slot] = (struct value){.kind = V_LOOP, .loop = loop};
    if (assign(vm, statement->loop.target, item))
        return -1;
    return exec_body(vm, statement->loop.body);
}

static int exec_for(struct vm *vm, const struct statement *statement)
{
    struct loop hidden, *loop = &hidden;
    struct value item;
    int rc;
    if (statement->loop.loop) /* the template may keep it */
        loop = vm_alloc(vm, sizeof(*loop));
    if (open_loop(loop, vm, statement))
        return -1;
    while ((rc = loop_next(&item, vm, loop)) > 0)
        if (exec_iteration(vm, statement, loop, &item))
            return -1;
    if (rc < 0)
        return -1;
    scope_leave(vm, statement->loop.body_scope);
    if (loop->index0 != SIZE_MAX || !statement->loop.otherwise)
        return 0;
    return exec_scope(vm, statement->loop.otherwise_scope, statement->loop.otherwise);
}

/* ---------------------------------------------------------------- set, filter, with */

static int exec_set(struct vm *vm, const struct statement *statement)
{
    struct value value;
    if (check_namespaces(vm, statement->set.target) || eval(&value, vm, statement->set.value) ||
        assign(vm, statement->set.target, &value))
        return -1;
    return statement->toplevel ? keep(vm, statement->set.target) : 0;
}

/* The body's text, filtered. */
static int exec_captured(struct value *out, struct vm *vm, const struct statement *statement)
{
    if (scope_enter(vm, statement->set.scope) || capture_body(out, vm, statement->set.body))
        return -1;
    vm->captured = *out;
    if (statement->set.filter && eval(out, vm, statement->set.filter))
        return -1;
    return 0;
}

static int exec_set_block(struct vm *vm, const struct statement *statement)
{
    struct value value;
    if (exec_captured(&value, vm, statement) || check_namespaces(vm, statement->set.target) ||
        assign(vm, statement->set.target, &value))
        return -1;
    scope_leave(vm, statement->set.scope);
    return statement->toplevel ? keep(vm, statement->set.target) : 0;
}

/* Prints a value that must already be a text, as in Jinja2. */
static int print_text(struct vm *vm, const struct statement *statement, const struct value *value)
{
    vm->at = statement->offset;
    if (value->kind != V_TEXT)
        return vm_fail_kind(vm, "a text is needed here", value);
    (void)buf_append(vm->out, value->text.ptr, value->text.len);
    return check_output(vm, statement);
}

static int exec_filter(struct vm *vm, const struct statement *statement)
{
    struct value value;
    if (exec_captured(&value, vm, statement))
        return -1;
    scope_leave(vm, statement->set.scope);
    return print_text(vm, statement, &value);
}

static int exec_with(struct vm *vm, const struct statement *statement)
{
    struct value value;
    if (scope_enter(vm, statement->with.scope))
        return -1;
    for (size_t i = 0; i < statement->with.targets.count; i++)
        if (eval(&value, vm, statement->with.values.items[i]) ||
            assign(vm, statement->with.targets.items[i], &value))
            return -1;
    if (exec_body(vm, statement->with.body))
        return -1;
    scope_leave(vm, statement->with.scope);
    return 0;
}

/* ---------------------------------------------------------------- macro, call */

/* Assigns to a variable that is not in an expression's target. */
static int assign_symbol(struct vm *vm, const struct statement *statement,
                         const struct symbol *symbol, const struct value *value)
{
    vm->frame->slots[symbol->slot] = *value;
    return statement->toplevel ? context_keep(vm, symbol->name, value, statement->kind == S_MACRO)
                               : 0;
}

static int exec_macro(struct vm *vm, const struct statement *statement)
{
    struct value macro = macro_new(vm, statement->macro.code);
    return assign_symbol(vm, statement, statement->macro.symbol, &macro);
}

static int exec_call(struct vm *vm, const struct statement *statement)
{
    struct value value, caller = macro_new(vm, statement->macro.code);
    if (eval_call_with(&value, vm, statement->macro.call, &caller))
        return -1;
    return print_text(vm, statement, &value);
}

/* ---------------------------------------------------------------- include, import */

static int run_include(struct vm *vm, const struct statement *statement, struct program *program)
{
    struct context *context;
    struct module *module;
    if (!statement->include.with_context) /* without context the text is always the same */
        return module_bare(&module, vm, program, "included from")
                   ? -1
                   : print_text(vm, statement, &module->text);
    if (context_new(&context, vm, program, false) ||
        snapshot_new(&context->outer, vm, statement->include.scope))
        return -1;
    return program_render(vm, program, context, "included from", statement->include.name->offset);
}

static int exec_include(struct vm *vm, const struct statement *statement)
{
    static const struct loading loading = {"include", "included from"};
    struct program *program = NULL;
    struct value name;
    if (eval(&name, vm, statement->include.name))
        return -1;
    vm->at = statement->include.name->offset;
    int found = load_named(&program, vm, &name, &loading, true);
    if (found > 0)
        return run_include(vm, statement, program);
    if (found < 0)
        return -1;
    return statement->include.ignore_missing ? 0 : load_missing(vm, &name, &loading);
}

static int exec_import(struct vm *vm, const struct statement *statement)
{
    struct module *module;
    struct value value;
    if (module_import(&module, vm, statement))
        return -1;
    for (const struct import_name *name = statement->include.names; name; name = name->next) {
        vm->at = name->offset;
        value = (struct value){.kind = V_MODULE, .module = module};
        if ((name->name.len && module_member(&value, vm, module, name->name)) ||
            assign_symbol(vm, statement, name->symbol, &value))
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- bodies */

/* The limit on open blocks across all includes: it bounds the program's stack. */
#define NESTING_IN_ALL (8 * LIMIT_TEMPLATE_NESTING)

int exec_body(struct vm *vm, const struct statement *statement)
{
    static int (*const functions[])(struct vm * vm, const struct statement *statement) = {
        [S_TEXT] = exec_text,       [S_OUTPUT] = exec_output,   [S_IF] = exec_if,
        [S_FOR] = exec_for,         [S_SET] = exec_set,         [S_SET_BLOCK] = exec_set_block,
        [S_INCLUDE] = exec_include, [S_WITH] = exec_with,       [S_FILTER] = exec_filter,
        [S_MACRO] = exec_macro,     [S_CALL] = exec_call,       [S_BLOCK] = exec_block,
        [S_IMPORT] = exec_import,   [S_EXTENDS] = exec_extends,
    };
    if (++vm->nesting > NESTING_IN_ALL)
        return vm_fail(vm, CODE_LIMIT, "blocks are nested more than %zu deep", NESTING_IN_ALL);
    for (; statement; statement = statement->next) {
        vm->at = statement->offset;
        if (vm_charge(vm, 1) || functions[statement->kind](vm, statement))
            return -1;
    }
    vm->nesting--;
    return 0;
}

int exec_invoke(struct value *out, struct vm *vm, const struct value *callee,
                const struct arguments *arguments)
{
    return (callee->kind == V_MACRO ? macro_call : block_call)(out, vm, callee, arguments);
}

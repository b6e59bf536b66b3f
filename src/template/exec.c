/* Executing statements: one function for each kind. */
#include "template/exec.h"

#include "base/limits.h"
#include "template/ast.h"
#include "template/eval.h"
#include "template/iterate.h"
#include "template/loop.h"
#include "template/parse.h"
#include "template/print.h"
#include "template/program.h"
#include "template/scope.h"
#include "template/value.h"
#include "template/vm.h"

static int exec_body(struct vm *vm, const struct statement *statement);

/* ---------------------------------------------------------------- scopes */

static void enter_scope(struct vm *vm, const struct scope *scope)
{
    struct value *slots = vm->frame->slots;
    size_t count = 0;
    for (const struct symbol *symbol = scope->symbols; symbol; symbol = symbol->next, count++) {
        switch (symbol->load) {
        case LOAD_PARAMETER:
        case LOAD_UNDEFINED:
            slots[symbol->slot].kind = V_MISSING;
            break;
        case LOAD_RESOLVE:
            slots[symbol->slot].kind = V_UNRESOLVED;
            break;
        case LOAD_ALIAS:
            slots[symbol->slot] = slots[symbol->outer->slot];
            break;
        }
    }
    vm_owe(vm, count / 8);
}

void frame_init(struct frame *frame, struct vm *vm, const struct program *program)
{
    frame->program = program;
    frame->slots = vm_alloc(vm, program->slot_count * sizeof(*frame->slots));
    vm->frame = frame;
    enter_scope(vm, program->root);
}

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

static int assign(struct vm *vm, const struct node *target, const struct value *value)
{
    vm->at = target->offset;
    if (target->kind == N_TUPLE)
        return unpack(vm, target, value);
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
    (void)buf_append(vm->out, statement->text.ptr, statement->text.len);
    return check_output(vm, statement);
}

static int exec_output(struct vm *vm, const struct statement *statement)
{
    struct value value;
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
        if (truth)
            return 1;
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
    struct iterator *iterator = vm_alloc(vm, sizeof(*iterator));
    *tested = (struct tested){statement, loop->iterator};
    *iterator = (struct iterator){.next = next_of_tested, .more = tested};
    loop->iterator = iterator;
    enter_scope(vm, statement->loop.test_scope);
    return 0;
}

static int exec_iteration(struct vm *vm, const struct statement *statement, struct loop *loop,
                          const struct value *item)
{
    enter_scope(vm, statement->loop.body_scope);
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
    if (statement->loop.loop) /* may be kept by the template */
        loop = vm_alloc(vm, sizeof(*loop));
    if (open_loop(loop, vm, statement))
        return -1;
    while ((rc = loop_next(&item, vm, loop)) > 0)
        if (exec_iteration(vm, statement, loop, &item))
            return -1;
    if (rc < 0)
        return -1;
    if (loop->index0 != SIZE_MAX || !statement->loop.otherwise)
        return 0;
    enter_scope(vm, statement->loop.otherwise_scope);
    return exec_body(vm, statement->loop.otherwise);
}

/* ---------------------------------------------------------------- set */

static int exec_set(struct vm *vm, const struct statement *statement)
{
    struct value value;
    if (eval(&value, vm, statement->set.value))
        return -1;
    return assign(vm, statement->set.target, &value);
}

static int capture(struct value *out, struct vm *vm, const struct statement *statement)
{
    BUF_SCRATCH(text, LIMIT_TEMPLATE_TEXT_BYTES);
    struct buf *outer = vm->out;
    vm->out = &text;
    int rc = exec_body(vm, statement->set.body);
    vm->out = outer;
    if (rc)
        return -1;
    size_t start = vm_begin(vm);
    (void)buf_append(&vm->scratch, buf_text(&text), text.len);
    return vm_end(out, vm, start);
}

static int exec_set_block(struct vm *vm, const struct statement *statement)
{
    struct value value;
    enter_scope(vm, statement->set.scope);
    if (capture(&value, vm, statement))
        return -1;
    vm->captured = value;
    if (statement->set.filter && eval(&value, vm, statement->set.filter))
        return -1;
    return assign(vm, statement->set.target, &value);
}

/* ---------------------------------------------------------------- include */

/* One after the other, which is paid for: templates include few others, and those first seen last.
 */
static const struct program *find_program(struct vm *vm, const char *name)
{
    const struct program *program = vm->programs;
    size_t passed = 0;
    for (; program && !str_equal(program->name, name); program = program->next)
        passed++;
    vm_owe(vm, passed / 4);
    return program;
}

/* Says in the trace of the error that it happened below this statement. */
static int trace_include(struct vm *vm, const struct frame *frame, size_t offset)
{
    ERR_SCRATCH(place);
    (void)program_error_at(frame->program, offset, &place);
    return err_trace(vm->err, "included from %s:%zu:%zu", frame->program->path, place.where.line,
                     place.where.column);
}

/* 1 with the program, 0 where there is none of that name, -1. */
static int load_program(const struct program **out, struct vm *vm, struct span name)
{
    const char *text = arena_memdup(vm->arena, name.ptr, name.len);
    struct template_source source = {.name = text};
    struct program *program;
    *out = find_program(vm, text);
    if (*out)
        return 1;
    if (!vm->loader)
        return vm_fail(vm, CODE_SYNTAX, "'include' cannot be used here");
    int rc = vm->loader->load(&source, vm->loader->context, text, vm->err);
    if (rc > 0)
        return 0;
    if (rc < 0)
        return vm->err->where.file ? -1 : program_error_at(vm->frame->program, vm->at, vm->err);
    if (program_parse(&program, vm->arena, &source, false, vm->err))
        return trace_include(vm, vm->frame, vm->at);
    program->next = vm->programs;
    vm->programs = program;
    *out = program;
    return 1;
}

/* The first template of a list of names that exists. */
static int load_first(const struct program **out, struct vm *vm, const struct value *names)
{
    struct iterator *iterator;
    struct value name;
    int rc, found = 0;
    if (iterator_open(&iterator, vm, names))
        return -1;
    while (!found && (rc = iterator_next(&name, vm, iterator)) != 0) {
        if (rc < 0)
            return -1;
        if (name.kind == V_UNDEFINED)
            continue;
        if (name.kind != V_TEXT)
            return vm_fail(vm, CODE_TYPE, "the name of a template is a text, not %s",
                           value_kind_name(&name));
        found = load_program(out, vm, name.text);
    }
    return found;
}

static int load_named(const struct program **out, struct vm *vm, const struct value *name)
{
    switch (name->kind) {
    case V_TEXT:
        return load_program(out, vm, name->text);
    case V_LIST:
    case V_TUPLE:
        return load_first(out, vm, name);
    case V_UNDEFINED:
        return vm_fail_undefined(vm, name);
    default:
        return vm_fail(vm, CODE_TYPE, "'include' takes a text or a list of texts, not %s",
                       value_kind_name(name));
    }
}

static int fail_not_found(struct vm *vm, const struct value *name)
{
    if (name->kind == V_TEXT)
        return vm_fail(vm, CODE_SYNTAX, "there is no template '%s' to include",
                       vm_show(vm, name->text));
    return vm_fail(vm, CODE_SYNTAX, "none of these templates to include exists");
}

static int run_include(struct vm *vm, const struct statement *statement,
                       const struct program *program)
{
    struct frame *outer = vm->frame;
    struct frame frame = {.calls = outer->calls + 1};
    if (frame.calls > LIMIT_TEMPLATE_CALLS)
        return vm_fail(vm, CODE_LIMIT, "templates include each other more than %zu deep",
                       LIMIT_TEMPLATE_CALLS);
    frame.bare = !statement->include.with_context;
    if (statement->include.with_context) {
        frame.parent = outer;
        frame.scope = statement->include.scope;
    }
    frame_init(&frame, vm, program);
    int rc = exec_program(vm);
    vm->frame = outer;
    return rc ? trace_include(vm, outer, statement->include.name->offset) : 0;
}

static int exec_include(struct vm *vm, const struct statement *statement)
{
    const struct program *program = NULL;
    struct value name;
    if (eval(&name, vm, statement->include.name))
        return -1;
    vm->at = statement->include.name->offset;
    int found = load_named(&program, vm, &name);
    if (found > 0)
        return run_include(vm, statement, program);
    if (found < 0)
        return -1;
    return statement->include.ignore_missing ? 0 : fail_not_found(vm, &name);
}

/* ---------------------------------------------------------------- bodies */

/* Blocks that are open at once, through all includes: keeps the stack of the program bounded. */
#define NESTING_IN_ALL (8 * LIMIT_TEMPLATE_NESTING)

static int exec_body(struct vm *vm, const struct statement *statement)
{
    static int (*const functions[])(struct vm * vm, const struct statement *statement) = {
        [S_TEXT] = exec_text,       [S_OUTPUT] = exec_output, [S_IF] = exec_if,
        [S_FOR] = exec_for,         [S_SET] = exec_set,       [S_SET_BLOCK] = exec_set_block,
        [S_INCLUDE] = exec_include,
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

int exec_program(struct vm *vm)
{
    return exec_body(vm, vm->frame->program->body);
}

/* The state of one render: memory, limits, the current place, and failures. */
#define TMPLGEN_TEMPLATE_VM_C
#include "jinja/run/vm.h"

#include "base/budget.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/syntax/program.h"

#include <stdarg.h>
#include <string.h>

void *vm_alloc(struct vm *vm, size_t size)
{
    return arena_alloc(vm->arena, size);
}

int vm_settle(struct vm *vm)
{
    size_t unpaid = vm->unpaid;
    vm->unpaid = 0;
    if (budget_steps(unpaid, vm->err) == 0)
        return 0;
    vm->err->code = CODE_LIMIT;
    return program_error_at(vm->frame->program, vm->at, vm->err);
}

/* Threads share the run's budget, so it is not charged for each step. */
#define STEPS_AT_ONCE ((size_t)256)

int vm_charge(struct vm *vm, size_t count)
{
    if (count > vm->steps)
        return vm_fail(vm, CODE_LIMIT, "the template takes more than %zu steps",
                       LIMIT_TEMPLATE_STEPS);
    vm->steps -= count;
    vm->unpaid += count;
    return vm->unpaid >= STEPS_AT_ONCE || account_is_spent() ? vm_settle(vm) : 0;
}

int vm_charge_bytes(struct vm *vm, size_t bytes)
{
    return vm_charge(vm, budget_steps_of(bytes));
}

void vm_owe(struct vm *vm, size_t count)
{
    count = count < vm->steps ? count : vm->steps;
    vm->steps -= count;
    vm->unpaid += count;
}

int vm_fail(struct vm *vm, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(vm->arena, format, args);
    va_end(args);
    (void)err_set(vm->err, TG_USAGE, code, "%s", message);
    return program_error_at(vm->frame->program, vm->at, vm->err);
}

int vm_fail_kind(struct vm *vm, const char *wanted, const struct value *value)
{
    if (value->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, value);
    return vm_fail(vm, CODE_TYPE, "%s, not %s", wanted, value_kind_name(value));
}

int vm_fail_value(struct vm *vm, const struct value *value, const char *reason)
{
    if (value->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, value);
    return vm_fail(vm, CODE_TYPE, "%s %s", value_kind_name(value), reason);
}

/* Long texts are cut to this size, at a character. */
#define SHOWN_BYTES ((size_t)80)

const char *vm_show(struct vm *vm, struct span text)
{
    BUF_SCRATCH(masked, LIMIT_KIB);
    bool cut = text.len > SHOWN_BYTES;
    if (cut)
        text.len = utf8_offset(text, SHOWN_BYTES / 4);
    (void)unicode_mask(&masked, text, false);
    return arena_printf(vm->arena, "%s%s", buf_text(&masked), cut ? "..." : "");
}

/* ---------------------------------------------------------------- undefined values */

static struct value undefined_new(struct vm *vm, const struct undefined *as)
{
    struct undefined *undefined = vm_alloc(vm, sizeof(*undefined));
    *undefined = *as;
    undefined->program = vm->frame->program;
    undefined->offset = vm->at;
    return (struct value){.kind = V_UNDEFINED, .undefined = undefined};
}

struct value vm_undefined_name(struct vm *vm, struct span name)
{
    return undefined_new(vm, &(struct undefined){.why = UNDEFINED_NAME, .name = name});
}

struct value vm_undefined_member(struct vm *vm, const struct value *object, struct span name)
{
    return undefined_new(
        vm, &(struct undefined){.why = UNDEFINED_MEMBER, .name = name, .object = *object});
}

struct value vm_undefined_reason(struct vm *vm, const char *reason)
{
    return undefined_new(vm,
                         &(struct undefined){.why = UNDEFINED_REASON, .name = span_from(reason)});
}

/* `${{ secrets.KEY }}`: a variable of the program that reads the file, not of tmplgen. */
static bool is_of_others(const struct undefined *undefined)
{
    const char *source = undefined->program->source.ptr;
    size_t at = undefined->offset;
    while (at && strchr(" \t", source[at - 1]))
        at--;
    return at >= 3 && memcmp(source + at - 3, "${{", 3) == 0;
}

int vm_fail_undefined(struct vm *vm, const struct value *value)
{
    const struct undefined *undefined = value->undefined;
    const char *name = vm_show(vm, undefined->name);
    const char *nearest = vm->nearest(vm, undefined);
    if (undefined->why == UNDEFINED_NAME)
        (void)err_set(vm->err, TG_USAGE, CODE_UNDEFINED, "'%s' is undefined", name);
    else if (undefined->why == UNDEFINED_MEMBER)
        (void)err_set(vm->err, TG_USAGE, CODE_UNDEFINED, "%s has no '%s'",
                      value_kind_name(&undefined->object), name);
    else
        (void)err_set(vm->err, TG_USAGE, CODE_UNDEFINED, "%s", name);
    if (undefined->why == UNDEFINED_NAME && is_of_others(undefined))
        (void)err_hint(vm->err, "if '${{ }}' is to stay as it is, give the file square delimiters "
                                "([[ ]]; 'delimiters' in the manifest), or write {%% raw %%} "
                                "around it");
    else if (nearest)
        (void)err_hint(vm->err, "did you mean '%s'?", nearest);
    return program_error_at(undefined->program, undefined->offset, vm->err);
}

/* ---------------------------------------------------------------- texts in the making */

size_t vm_begin(struct vm *vm)
{
    return vm->scratch.len;
}

int vm_end(struct value *out, struct vm *vm, size_t start)
{
    size_t len = vm->scratch.len - start;
    if (vm->scratch.overflowed || len > LIMIT_TEMPLATE_TEXT_BYTES)
        return vm_fail(vm, CODE_LIMIT, "a text is longer than %zu bytes",
                       LIMIT_TEMPLATE_TEXT_BYTES);
    *out = value_text(span_of(arena_memdup(vm->arena, buf_text(&vm->scratch) + start, len), len));
    buf_truncate(&vm->scratch, start);
    return vm_charge_bytes(vm, len);
}

int capture(struct value *out, struct vm *vm, int (*run)(struct vm *vm, const void *what),
            const void *what)
{
    BUF_SCRATCH(text, LIMIT_TEMPLATE_TEXT_BYTES);
    struct buf *outer = vm->out;
    vm->out = &text;
    int rc = run(vm, what);
    vm->out = outer;
    if (rc)
        return -1;
    size_t start = vm_begin(vm);
    (void)buf_append(&vm->scratch, buf_text(&text), text.len);
    return vm_end(out, vm, start);
}

static int run_body(struct vm *vm, const void *what)
{
    return vm->run(vm, what);
}

int capture_body(struct value *out, struct vm *vm, const struct statement *body)
{
    return capture(out, vm, run_body, body);
}

int vm_enter(struct vm *vm)
{
    if (++vm->depth > LIMIT_TEMPLATE_NESTING)
        return vm_fail(vm, CODE_LIMIT, "a value is nested more than %zu deep",
                       LIMIT_TEMPLATE_NESTING);
    return 0;
}

void vm_leave(struct vm *vm)
{
    vm->depth--;
}

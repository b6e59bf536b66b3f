/* The entry points: render a template, test an expression. */
#include "template/template.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "template/eval.h"
#include "template/exec.h"
#include "template/parse.h"
#include "template/program.h"
#include "template/value.h"
#include "template/vm.h"

static void vm_init(struct vm *vm, struct arena *arena, const struct data *context, struct err *err)
{
    *vm = (struct vm){.arena = arena,
                      .err = err,
                      .context = context,
                      .nearest = eval_nearest,
                      .scratch = BUF_INIT(2 * LIMIT_TEMPLATE_TEXT_BYTES),
                      .steps = LIMIT_TEMPLATE_STEPS};
}

int template_render(struct buf *out, const struct template_source *source,
                    const struct data *context, const struct template_loader *loader,
                    struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(arena);
    struct program *program;
    struct frame frame = {.calls = 0};
    struct vm vm;
    if (program_parse(&program, &arena, source, false, err))
        return -1;
    vm_init(&vm, &arena, context, err);
    vm.loader = loader;
    vm.out = out;
    frame_init(&frame, &vm, program);
    int rc = exec_program(&vm) || vm_settle(&vm) ? -1 : 0;
    buf_release(&vm.scratch);
    return rc;
}

int template_test(bool *out, const struct template_source *source, const struct data *context,
                  struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(arena);
    struct program *program;
    struct frame frame = {.calls = 0};
    struct vm vm;
    struct value value;
    if (program_parse(&program, &arena, source, true, err))
        return -1;
    vm_init(&vm, &arena, context, err);
    frame_init(&frame, &vm, program);
    int rc = eval(&value, &vm, program->expression);
    vm.at = program->expression->offset;
    if (rc == 0)
        rc = value_truth(out, &vm, &value) || vm_settle(&vm) ? -1 : 0;
    buf_release(&vm.scratch);
    return rc;
}

/* The entry points: render, evaluate, test. */
#include "template/template.h"

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
    int rc = exec_program(&vm);
    buf_release(&vm.scratch);
    return rc;
}

/* What is done with the value of a bare expression. */
struct use {
    struct data **data; /* NULL: only its truth is asked */
    struct arena *arena;
    bool *truth;
};

static int use_value(const struct use *use, struct vm *vm, const struct node *expression)
{
    struct value value;
    if (eval(&value, vm, expression))
        return -1;
    vm->at = expression->offset;
    return use->data ? value_to_data(use->data, vm, use->arena, &value)
                     : value_truth(use->truth, vm, &value);
}

static int evaluate(const struct use *use, const struct template_source *source,
                    const struct data *context, struct err *err)
{
    ARENA_SCRATCH(arena);
    struct program *program;
    struct frame frame = {.calls = 0};
    struct vm vm;
    if (program_parse(&program, &arena, source, true, err))
        return -1;
    vm_init(&vm, &arena, context, err);
    frame_init(&frame, &vm, program);
    int rc = use_value(use, &vm, program->expression);
    buf_release(&vm.scratch);
    return rc;
}

int template_evaluate(struct data **out, struct arena *arena, const struct template_source *source,
                      const struct data *context, struct err *err)
{
    const struct use use = {.data = out, .arena = arena};
    return evaluate(&use, source, context, err);
}

int template_test(bool *out, const struct template_source *source, const struct data *context,
                  struct err *err)
{
    const struct use use = {.truth = out};
    return evaluate(&use, source, context, err);
}

/* The entry points: render a template, test an expression, list the names that either may read. */
#include "jinja/template.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "jinja/functions/function.h"
#include "jinja/mentions.h"
#include "jinja/run/context.h"
#include "jinja/run/eval.h"
#include "jinja/run/exec.h"
#include "jinja/run/inherit.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/parse.h"
#include "jinja/syntax/program.h"
#include "jinja/values/value.h"

static void vm_init(struct vm *vm, struct arena *arena, const struct data *context, struct err *err)
{
    *vm = (struct vm){.arena = arena,
                      .err = err,
                      .context = context,
                      .filters = &filters,
                      .tests = &tests,
                      .nearest = eval_nearest,
                      .run = exec_body,
                      .invoke = exec_invoke,
                      .own = {.arena = arena},
                      .cache = &vm->own,
                      .scratch = BUF_INIT(2 * LIMIT_TEMPLATE_TEXT_BYTES),
                      .steps = LIMIT_TEMPLATE_STEPS};
}

static int begin(struct vm *vm, const struct program *program)
{
    struct context *context;
    struct frame *outer;
    vm->frame = vm_alloc(vm, sizeof(*vm->frame)); /* for errors */
    vm->frame->program = program;
    if (context_new(&context, vm, program, false))
        return -1;
    vm->frame = NULL;
    const struct frame as = {.program = program, .routine = program->routine, .context = context};
    return program_begin(&outer, vm, &as);
}

static int run(struct buf *out, struct arena *arena, const struct program *program,
               const struct data *context, const struct template_loader *loader, struct err *err)
{
    struct vm vm;
    vm_init(&vm, arena, context, err);
    vm.loader = loader;
    if (loader && loader->cache)
        vm.cache = loader->cache;
    vm.out = out;
    buf_reserve(out, program->source.len); /* usually most text is copied */
    int rc = begin(&vm, program) || program_run(&vm) || vm_settle(&vm) ? -1 : 0;
    buf_release(&vm.scratch);
    return rc;
}

int template_run(struct buf *out, const struct program *program, const struct data *context,
                 const struct template_loader *loader, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(arena);
    return run(out, &arena, program, context, loader, err);
}

int template_render(struct buf *out, const struct template_source *source,
                    const struct data *context, const struct template_loader *loader,
                    struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(arena);
    struct program *program;
    if (program_parse(&program, &arena, source, false, err))
        return -1;
    return run(out, &arena, program, context, loader, err);
}

int template_test(bool *out, const struct template_source *source, const struct data *context,
                  struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    ARENA_SCRATCH(arena);
    struct program *program;
    struct vm vm;
    struct value value;
    if (program_parse(&program, &arena, source, true, err))
        return -1;
    vm_init(&vm, &arena, context, err);
    int rc = begin(&vm, program) || eval(&value, &vm, program->expression) ? -1 : 0;
    vm.at = program->expression->offset;
    if (rc == 0)
        rc = value_truth(out, &vm, &value) || vm_settle(&vm) ? -1 : 0;
    buf_release(&vm.scratch);
    return rc;
}

/* ---------------------------------------------------------------- free names */

struct finder {
    struct data *names;
    struct arena *arena; /* of the names */
};

/* Copies names: the template is freed before they are used. */
static void see(void *context, const struct mention *mention)
{
    const struct finder *finder = context;
    struct span name = mention->text;
    if (mention->kind != MENTION_NAME || data_get_span(finder->names, name) ||
        function_is_refused(&builtins, name))
        return;
    const char *copy = arena_memdup(finder->arena, name.ptr, name.len);
    data_append(finder->arena, finder->names, span_of(copy, name.len), data_null(finder->arena));
}

int template_names(struct data *names, struct arena *arena, const struct template_source *source,
                   bool expression, const struct template_loader *loader, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct finder finder = {names, arena};
    const struct mention_reader reader = {
        .known = data_map(&scratch), .loader = loader, .see = see, .context = &finder};
    return template_mentions(&reader, source, expression, err);
}

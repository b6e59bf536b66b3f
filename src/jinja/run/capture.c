/* Output that becomes a text instead of being printed. */
#include "jinja/run/capture.h"

#include "base/limits.h"
#include "jinja/run/vm.h"

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

/* The blocks of templates: what of several templates goes by one name, and what refers to that. */
#include "jinja/run/block.h"

#include "jinja/run/vm.h"

static struct block_level *level_new(struct vm *vm, const struct program *program,
                                     const struct block_code *code)
{
    struct block_level *level = vm_alloc(vm, sizeof(*level));
    *level = (struct block_level){program, code, NULL};
    return level;
}

struct value block_value(struct vm *vm, const struct program *program,
                         const struct block_code *code)
{
    return block_refer(vm, NULL, level_new(vm, program, code));
}

void block_append(struct vm *vm, struct value *block, const struct program *program,
                  const struct block_code *code)
{
    struct block_level *last = block->block->level;
    for (; last->parent; last = last->parent)
        ;
    last->parent = level_new(vm, program, code);
}

struct value block_refer(struct vm *vm, const struct context *context, struct block_level *level)
{
    if (!level)
        return vm_undefined_reason(vm, "no template that is extended has this block");
    struct block *block = vm_alloc(vm, sizeof(*block));
    *block = (struct block){context, level};
    return (struct value){.kind = V_BLOCK, .block = block};
}

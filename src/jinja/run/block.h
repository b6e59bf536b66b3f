/* The blocks of templates: what of several templates goes by one name, and what refers to that. */
#ifndef TMPLGEN_BLOCK_H
#define TMPLGEN_BLOCK_H

#include "jinja/values/types.h"

struct vm;

/* A block of one template, without a context yet. */
struct value block_value(struct vm *vm, const struct program *program,
                         const struct block_code *code);
/* The parent's block, behind those of its children. */
void block_append(struct vm *vm, struct value *block, const struct program *program,
                  const struct block_code *code);
/* The block `level` in a context; undefined where there is none. */
struct value block_refer(struct vm *vm, const struct context *context, struct block_level *level);

#endif

/* Templates that extend others, and their blocks. */
#ifndef TMPLGEN_INHERIT_H
#define TMPLGEN_INHERIT_H

#include "base/err.h"

struct arguments;
struct frame;
struct statement;
struct value;
struct vm;

/* Begins the frame of a whole template, `as` said, and renders it: with what it extends. */
TG_CHECKED int program_begin(struct frame **outer, struct vm *vm, const struct frame *as);
TG_CHECKED int program_run(struct vm *vm);

/* The tags. */
TG_CHECKED int exec_extends(struct vm *vm, const struct statement *statement);
TG_CHECKED int exec_block(struct vm *vm, const struct statement *statement);
/* `super()` and `self.NAME()`: the block's text. */
TG_CHECKED int block_call(struct value *out, struct vm *vm, const struct value *callee,
                          const struct arguments *arguments);

#endif

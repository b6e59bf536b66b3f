/* Templates that extend others, and their blocks; other templates as values: `import`, `from`. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct arguments;
struct statement;
struct vm;

/* Begins the frame of a whole template, `as` said, and renders it: with what it extends. */
TG_CHECKED int program_begin(struct frame **outer, struct vm *vm, const struct frame *as);
TG_CHECKED int program_run(struct vm *vm);
/* Both, within another template; what fails in it fails at its byte `at`, in the words of `how`. */
TG_CHECKED int program_render(struct vm *vm, const struct program *program,
                              const struct context *context, const char *how, uint32_t at);

/* The tags. */
TG_CHECKED int exec_extends(struct vm *vm, const struct statement *statement);
TG_CHECKED int exec_block(struct vm *vm, const struct statement *statement);
/* `super()` and `self.NAME()`: the block's text. */
TG_CHECKED int block_call(struct value *out, struct vm *vm, const struct value *callee,
                          const struct arguments *arguments);

/* The module of a program that sees no context: made once a render. */
TG_CHECKED int module_bare(struct module **out, struct vm *vm, const struct program *program,
                           const char *how);
/* The tags `import` and `from`, but for the assignments: */
TG_CHECKED int module_import(struct module **out, struct vm *vm, const struct statement *statement);
/* What `from` takes of it under a name: undefined where there is none. */
TG_CHECKED int module_member(struct value *out, struct vm *vm, const struct module *module,
                             struct span name);

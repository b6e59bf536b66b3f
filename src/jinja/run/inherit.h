/* Template inheritance and blocks; templates as values: `import`, `from`. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct arguments;
struct statement;
struct vm;

/* Pushes the frame `as` for a whole template, and renders it with the templates that it extends. */
TG_CHECKED int program_begin(struct frame **outer, struct vm *vm, const struct frame *as);
TG_CHECKED int program_run(struct vm *vm);
/* Does both within another template. Errors are reported at byte `at` of that, with `how`. */
TG_CHECKED int program_render(struct vm *vm, const struct program *program,
                              const struct context *context, const char *how, uint32_t at);

/* The tags of inheritance. */
TG_CHECKED int exec_extends(struct vm *vm, const struct statement *statement);
TG_CHECKED int exec_block(struct vm *vm, const struct statement *statement);
/* `super()` and `self.NAME()`: the block's text. */
TG_CHECKED int block_call(struct value *out, struct vm *vm, const struct value *callee,
                          const struct arguments *arguments);

/* The module of a program imported without context; made once a render. */
TG_CHECKED int module_bare(struct module **out, struct vm *vm, const struct program *program,
                           const char *how);
/* The tags `import` and `from`, but for the assignments: */
TG_CHECKED int module_import(struct module **out, struct vm *vm, const struct statement *statement);
/* The member that `from` imports by name; undefined if missing. */
TG_CHECKED int module_member(struct value *out, struct vm *vm, const struct module *module,
                             struct span name);

/* Other templates as values: `import` and `from`; and the text of `include ... without context`. */
#ifndef TMPLGEN_MODULE_H
#define TMPLGEN_MODULE_H

#include "base/err.h"
#include "jinja/values/types.h"

struct program;
struct statement;
struct vm;

/* The module of a program that sees no context: made once a render. */
TG_CHECKED int module_bare(struct module **out, struct vm *vm, const struct program *program,
                           const char *how);
/* The tags `import` and `from`, but for the assignments: */
TG_CHECKED int module_import(struct module **out, struct vm *vm, const struct statement *statement);
/* What `from` takes of it under a name: undefined where there is none. */
TG_CHECKED int module_member(struct value *out, struct vm *vm, const struct module *module,
                             struct span name);

#endif

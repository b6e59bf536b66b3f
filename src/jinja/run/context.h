/* What a template sees that is not its own: Jinja2's contexts, and how names are found in them. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>

struct snapshot;
struct scope;
struct vm;

struct context {
    const struct snapshot *outer; /* of the template that includes or imports this one, or NULL */
    bool bare; /* sees nothing else: neither snapshots nor the data of the render */
    /* Where others look for them, the variables of the template itself, and which of them are
     * exported; else NULL. A template shares them with those that it extends. */
    struct dict *vars, *exports;
    struct dict *blocks; /* by name, the outermost child's first; NULL: none */
};

/* A context of its own for `program`; `keeps` its variables, as importers need it. */
TG_CHECKED int context_new(struct context **out, struct vm *vm, const struct program *program,
                           bool keeps);
/* What the current frame sees in `scope` now, for templates and blocks within. */
TG_CHECKED int snapshot_new(const struct snapshot **out, struct vm *vm, const struct scope *scope);
/* The value of a name that is no variable; V_MISSING where there is none. */
TG_CHECKED int context_find(struct value *out, struct vm *vm, struct span name);
/* A variable of the template itself was assigned to. */
TG_CHECKED int context_keep(struct vm *vm, struct span name, const struct value *value,
                            bool exported);
/* The block `definition` in a context; undefined where there is none. */
struct value block_refer(struct vm *vm, const struct context *context,
                         struct block_definition *definition);
/* The block of that name, the outermost child's, or NULL. */
struct block_definition *context_block(struct vm *vm, const struct context *context,
                                       struct span name);
/* Adds the blocks of a program behind those that are there. */
TG_CHECKED int context_add_blocks(struct vm *vm, const struct context *context,
                                  const struct program *program);

/* The names that a template inherits from outside: Jinja2's contexts, and lookups in them. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "jinja/values/types.h"

#include <stdbool.h>

struct snapshot;
struct scope;
struct vm;

struct context {
    const struct snapshot *outer; /* of the including or importing template, or NULL */
    bool bare;                    /* sees nothing else: no snapshots, no render data */
    /* The template's own variables, for lookups by others, and its exports; else NULL. A template
     * shares them with those that it extends. */
    struct dict *vars, *exports;
    struct dict *blocks; /* by name, the outermost child's first; NULL: none */
};

/* Creates a context for `program`; `keeps` keeps its variables for importers. */
TG_CHECKED int context_new(struct context **out, struct vm *vm, const struct program *program,
                           bool keeps);
/* The names visible in `scope` of the current frame now, for nested templates and blocks. */
TG_CHECKED int snapshot_new(const struct snapshot **out, struct vm *vm, const struct scope *scope);
/* Looks up a name that is not a variable; V_MISSING if there is none. */
TG_CHECKED int context_find(struct value *out, struct vm *vm, struct span name);
/* Records an assignment to a variable of the template itself. */
TG_CHECKED int context_keep(struct vm *vm, struct span name, const struct value *value,
                            bool exported);
/* The block `definition` in a context, as a value; undefined if there is none. */
struct value block_refer(struct vm *vm, const struct context *context,
                         struct block_definition *definition);
/* The outermost child's block of that name, or NULL. */
struct block_definition *context_block(struct vm *vm, const struct context *context,
                                       struct span name);
/* Appends the blocks of a program to the existing ones. */
TG_CHECKED int context_add_blocks(struct vm *vm, const struct context *context,
                                  const struct program *program);

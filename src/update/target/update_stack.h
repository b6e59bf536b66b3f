/* The stack of an update: what was asked for, resolved again in the matrix of the target. */
#ifndef TMPLGEN_UPDATE_STACK_H
#define TMPLGEN_UPDATE_STACK_H

#include "base/err.h"
#include "base/str.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct fileset;
struct record;

struct stack_input {
    const struct fileset *files; /* of the target catalog */
    struct span overlay;
    const struct record *recorded;
    struct stack_need need;           /* of the target's type */
    const struct stack_request *said; /* by --set; may be NULL */
    const char *const *unset;
    size_t unset_count;
    bool upgrade;
    bool keep; /* nothing of the catalog changed: without another request the stack stays */
};

struct carried_stack {
    struct data *request, *resolution;
    struct data *refusal; /* with exit 4 */
    const char **warnings;
    size_t warning_count;
};

/*
 * What the user never asked for stays at the recorded framework minor and CUDA variant while the
 * matrix has them, unless `upgrade`. No solution: exit 4.
 */
TG_CHECKED int stack_make(struct carried_stack *out, struct arena *arena,
                          const struct stack_input *input, struct err *err);
/* For a template without a stack: exit 2 where stack choices are made, else 0. */
TG_CHECKED int stack_refuse(const struct stack_input *input, const char *type, struct err *err);

/*
 * A list of {what, from, to}; either may be null. `image` is what the project starts from: the
 * team's where there is one.
 */
struct data *stack_changes(struct arena *arena, const struct data *before,
                           const struct data *after);

#endif

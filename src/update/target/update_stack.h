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
    bool keep; /* the catalog is the same: without another request the stack stays */
};

struct carried_stack {
    struct data *request, *resolution;
    struct data *refusal; /* with exit 4 */
    const char *note;     /* a warning, or NULL */
};

/*
 * Framework minor and CUDA variant stay as recorded where the user asked for neither and the matrix
 * has them, unless `upgrade`. Exit 4 where there is no solution.
 */
TG_CHECKED int stack_make(struct carried_stack *out, struct arena *arena,
                          const struct stack_input *input, struct err *err);
/* Of a template without a stack: exit 2 where the user makes stack choices, else 0. */
TG_CHECKED int stack_refuse(const struct stack_input *input, const char *type, struct err *err);

/*
 * A list of {what, from, to}; `from` or `to` may be null. `image` is the base image: the team's
 * where there is one.
 */
struct data *stack_changes(struct arena *arena, const struct data *before,
                           const struct data *after);

#endif

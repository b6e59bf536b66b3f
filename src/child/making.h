/* The making of a new child: from a catalog and the user's choices to its files and its record. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/render.h"
#include "child/record.h"
#include "resolver/request.h"

/* The functions below fill it in, in their order. Everything lives in the arena. */
struct making {
    struct arena *arena;
    const struct catalog *catalog;
    const struct asker *asker; /* NULL: nobody is asked */
    struct span overlay;       /* of the matrix; empty: none */
    struct manifest *manifest;
    bool is_read; /* each question is known to be read: making_answers need not check again */
    struct stack_request request;
    struct data *request_data, *resolution; /* NULL with `stack: none` */
    struct data *refusal;                   /* the matrix's refusal, with exit 4 */
    struct answers answers;
    struct render render;
    struct record record;
};

/* Sets the type. Where `type` is NULL it asks, else exit 2, "missing-answer". */
TG_CHECKED int making_type(struct making *m, const char *type, struct err *err);
/*
 * Chooses the stack. `said` are the stack choices, which a type without a stack refuses (exit 2);
 * `request` has the same as a request. No solution: exit 4, and `refusal`.
 */
TG_CHECKED int making_stack(struct making *m, const struct given_list *said,
                            const struct stack_request *request, struct err *err);
/* Collects the answers. First refuses questions that nothing reads, unless types are tested. */
TG_CHECKED int making_answers(struct making *m, const struct given_list *given,
                              const char *name_default, struct err *err);
/* The name of a child whose path gives none: FRAMEWORK-TYPE; with `stack: none` TYPE. */
const char *making_name(const struct making *m);
/*
 * Adds the team's image to the resolution, then renders the files, and the record without `yours`.
 */
TG_CHECKED int making_render(struct making *m, struct err *err);
/* The type's own next commands, which may name secrets. */
TG_CHECKED int making_next(struct words *out, const struct making *m, struct err *err);

/* The frameworks that the type has files for, in its own order. */
size_t making_frameworks(const char ***names, const struct making *m);

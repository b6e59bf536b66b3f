/* What a child is made of: from a catalog and what was said, to its files and its record. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/render.h"
#include "child/record.h"
#include "resolver/request.h"

/* Filled step by step, in the order of the functions below. Everything lives in the arena. */
struct making {
    struct arena *arena;
    const struct catalog *catalog;
    const struct asker *asker; /* NULL: nobody is asked */
    struct span overlay;       /* of the matrix; empty: none */
    struct manifest *manifest;
    bool is_read; /* each of its questions, as was found before: answers may be collected again */
    struct stack_request request;
    struct data *request_data, *resolution; /* NULL with `stack: none` */
    struct data *refusal;                   /* with exit 4: what the matrix said */
    struct answers answers;
    struct render render;
    struct record record;
};

/* `type` NULL: it is asked for, else exit 2, "missing-answer". */
TG_CHECKED int making_type(struct making *m, const char *type, struct err *err);
/*
 * `said` are the stack choices, which a type without a stack refuses (exit 2), and `request` the
 * same as a request. No solution: exit 4, and `refusal`.
 */
TG_CHECKED int making_stack(struct making *m, const struct given_list *said,
                            const struct stack_request *request, struct err *err);
/* Questions that nothing reads are refused first, unless the catalog's types are tested. */
TG_CHECKED int making_answers(struct making *m, const struct given_list *given,
                              const char *name_default, struct err *err);
/* Of a child whose path says nothing: FRAMEWORK-TYPE; with `stack: none` TYPE. */
const char *making_name(const struct making *m);
/*
 * The team's image, which joins the resolution, then the files, and the record without `yours`.
 */
TG_CHECKED int making_render(struct making *m, struct err *err);
/* The type's own commands to come, which may name secrets. */
TG_CHECKED int making_next(struct words *out, const struct making *m, struct err *err);

/* The frameworks that the type has files for, in its own order. */
size_t making_frameworks(const char ***names, const struct making *m);

/* Everything that a user can choose for a child, from all the places where it can be said. */
#pragma once

#include "base/err.h"
#include "base/option.h"
#include "catalog/answers.h"

#include <stdbool.h>

struct making;
struct run;
struct stack_request;

/* Options that answer questions; a row without a name ends it. */
extern const struct option project_options[];

struct choices {
    const char *type;          /* NULL: not said */
    struct given_list answers; /* to questions */
    struct given_list stack;   /* to stack options, by their names */
};

/* The options of the stack as they were given; false: none was. */
bool choices_said(struct stack_request *out, struct run *run);
/*
 * Gathers flags, --set, --answers and, where `configured`, the user's configuration, each with its
 * rank. Names of stack
 * options and `type` may be said in all of these places.
 */
TG_CHECKED int choices_gather(struct choices *out, struct run *run, bool configured,
                              struct err *err);
/* The stack choices as a request. */
TG_CHECKED int choices_request(struct stack_request *out, struct run *run,
                               const struct choices *choices, struct err *err);
/* Settles the stack of a making that has its type; why there is none goes into the document. */
TG_CHECKED int choices_stack(struct making *making, struct run *run, const struct choices *choices,
                             struct err *err);

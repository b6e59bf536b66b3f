/* A user's choices for a child, from all their sources. */
#pragma once

#include "base/err.h"
#include "base/option.h"
#include "base/str.h"
#include "catalog/answers.h"

#include <stdbool.h>

struct arena;
struct making;
struct run;
struct stack_request;

/* Options that answer questions; a row without a name ends the table. */
extern const struct option project_options[];

struct choices {
    const char *type;          /* NULL: not given */
    struct given_list answers; /* to questions */
    struct given_list stack;   /* to stack options, by their names */
};

/* Reads the stack options as given; false: there was none. */
bool choices_said(struct stack_request *out, struct run *run);
/*
 * Gathers flags, --set, --answers and, with `configured`, the user's configuration, each with its
 * rank. Each of these may give stack options by name, and `type`.
 */
TG_CHECKED int choices_gather(struct choices *out, struct run *run, bool configured,
                              struct err *err);
/* The stack choices as a request. */
TG_CHECKED int choices_request(struct stack_request *out, struct run *run,
                               const struct choices *choices, struct err *err);
/* Chooses the stack of a making that has its type; a refusal goes into the document. */
TG_CHECKED int choices_stack(struct making *making, struct run *run, const struct choices *choices,
                             struct err *err);
/* The parts of "T4, A100". */
struct words choices_split(struct arena *arena, const char *text);

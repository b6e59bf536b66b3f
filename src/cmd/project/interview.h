/* Asks a person for what `new` was not told. */
#pragma once

#include "base/err.h"

struct asker;
struct choices;
struct interview;
struct making;
struct run;
struct typed;

/* In the run's arena. Typed answers, except secrets, go into `typed`. */
struct interview *interview_new(struct run *run, const struct choices *choices,
                                struct typed *typed);
/* For making_type and later steps. */
const struct asker *interview_asker(const struct interview *interview);
/*
 * Chooses the stack as choices_stack does. Asks for the framework, and, where neither was said, for
 * GPU and driver, until the stack is one that there is.
 */
TG_CHECKED int interview_stack(struct interview *interview, struct making *making, struct err *err);
/*
 * Collects the answers. Asks for the few that most people give, then whether more are wanted, then
 * for all others.
 */
TG_CHECKED int interview_answers(struct interview *interview, struct making *making,
                                 const char *name_default, struct err *err);
/* Shows what was chosen, and asks whether to write it to `path`; if anything was asked before. */
TG_CHECKED int interview_confirm(const struct interview *interview, const struct making *making,
                                 const char *path, struct err *err);

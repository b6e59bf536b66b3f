/* Guesses the answers and the stack of a repository that is to be adopted. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "resolver/request.h"

struct arena;
struct child;
struct data;
struct making;

struct guesses {
    struct given_list
        answers; /* as GIVEN_GUESS; of several with one name the first valid one counts */
    struct words answers_from; /* the file that each was found in */
    /* As in a request. The first framework is the exact guess, looser ones follow, then NULL. */
    const char *framework[3], *python;
    const char *framework_from, *python_from;
    struct words warnings;
    struct data *taken; /* the guesses that were taken at the end: list of {what, value, from} */
};

/*
 * Guesses, after making_type. A file that cannot be read is a warning; errors come only from the
 * catalog. Everything lives in the arena.
 */
TG_CHECKED int guess_all(struct guesses *out, struct arena *arena, const struct child *child,
                         const struct making *making, struct err *err);

/*
 * Chooses the stack. `request` ranks first, then the user's replies to the guesses, then the
 * guesses. Where these have no solution, it tries looser ones, with a warning.
 */
TG_CHECKED int guess_stack(struct guesses *g, struct arena *arena, struct making *making,
                           const struct given_list *said, const struct stack_request *request,
                           struct err *err);
/* Collects the answers: first the given ones, then guesses. */
TG_CHECKED int guess_answers(struct guesses *g, struct arena *arena, struct making *making,
                             const struct given_list *given, const char *name_default,
                             struct err *err);

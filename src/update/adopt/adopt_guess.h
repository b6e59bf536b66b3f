/* What can be guessed of a repository that is to be adopted: its answers, its stack. */
#ifndef TMPLGEN_ADOPT_GUESS_H
#define TMPLGEN_ADOPT_GUESS_H

#include "base/err.h"
#include "catalog/answers.h"
#include "resolver/request.h"

#include <stddef.h>

struct arena;
struct child;
struct data;
struct making;

struct guesses {
    struct given_list answers; /* as GIVEN_GUESS, several of a name: the first that is valid */
    /* As a request has them, and looser ones behind; NULL where there is none, or no more. */
    const char *framework[3], *python;
    const char *framework_from, *python_from;
    const char **warnings;
    size_t warning_count;
    struct data *taken; /* list of {what, value, from}, in the end */
    /* Own: */
    const char **answers_from;
};

/*
 * After making_type. What cannot be read is a warning; errors are those of the catalog. Everything
 * lives in the arena.
 */
TG_CHECKED int guess_all(struct guesses *out, struct arena *arena, const struct child *child,
                         const struct making *making, struct err *err);

/*
 * Chooses the stack: as `request` says, and where that says nothing, as guessed and asked, as far
 * as there is a solution: where not, looser, which is a warning.
 */
TG_CHECKED int guess_stack(struct guesses *g, struct arena *arena, struct making *making,
                           const struct given_list *said, const struct stack_request *request,
                           struct err *err);
/* Collects the answers: those given, then the guesses. */
TG_CHECKED int guess_answers(struct guesses *g, struct arena *arena, struct making *making,
                             const struct given_list *given, const char *name_default,
                             struct err *err);

#endif

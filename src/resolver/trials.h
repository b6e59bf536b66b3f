/* Requests with something changed, tried: those that work are kept. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_TRIALS_H
#define TMPLGEN_RESOLVER_TRIALS_H

#include "resolver/ask.h"

struct data;

struct trials {
    struct arena *arena;
    const struct ask *ask;
    const struct stack_request *request;
    struct data *list; /* of {change, request, resolution} */
};

/* One change, in words: "--driver 580". */
struct data *change_text(struct arena *arena, enum stack_choice choice, const char *value);
/* Adds the changed request to the list where it works, and on no row of low confidence. */
bool try_changed(const struct trials *n, const struct stack_request *changed, struct data *change);

#endif

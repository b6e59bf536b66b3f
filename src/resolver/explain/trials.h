/* Requests with something changed, tried: those that work are kept. */
#pragma once

#include "resolver/search/demands.h"

struct data;

struct trials {
    struct arena *arena;
    const struct demands *ask;
    const struct stack_request *request;
    const struct matrix *matrix; /* that the changed requests are resolved in */
    size_t since;                /* steps of the run taken before */
    struct data *list;           /* of {change, request, resolution} */
};

/* A demand that is met in another way: "--driver 580". */
struct data *change_text(struct arena *arena, enum stack_choice choice, const char *value);
/* A demand that is left out: "without --python", "without --gpu T4". */
struct data *drop_text(struct arena *arena, enum stack_choice choice, const char *value);

/* What comes of the changed request; NULL: nothing, or what rests on a row of low confidence. */
struct data *resolve_changed(const struct trials *n, const struct stack_request *changed);
/* Adds the request with one change to the list where something comes of it. */
bool try_change(const struct trials *n, const struct stack_request *changed, struct data *text);

/* Tries the fewest changes at once that do. */
void try_sets_of_changes(const struct trials *n);

/* Tries changed requests, and keeps those that work. */
#pragma once

#include "resolver/search/demands.h"

struct data;

struct trials {
    struct arena *arena;
    const struct demands *ask;
    const struct stack_request *request;
    const struct matrix *matrix; /* the matrix for the changed requests */
    size_t since;                /* the run's steps before the trials */
    struct data *list;           /* of {change, request, resolution} */
};

/* The text of a demand with another value: "--driver 580"; for an update, "--set driver=580". */
struct data *change_text(const struct trials *n, enum stack_choice choice, const char *value);
/* The text of a demand that is dropped: "without --python", "without --gpu T4". */
struct data *drop_text(struct arena *arena, enum stack_choice choice, const char *value);

/* Resolves the changed request; NULL: no result, or one that rests on a row of low confidence. */
struct data *resolve_changed(const struct trials *n, const struct stack_request *changed);
/* Adds the request with one change to the list where it resolves; true then. */
bool try_change(const struct trials *n, const struct stack_request *changed, struct data *text);

/* Tries sets of changes, and stops at the smallest size that works. */
void try_sets_of_changes(const struct trials *n);

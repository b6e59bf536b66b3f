/* What would fit, one change or several. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_NEAREST_H
#define TMPLGEN_MATRIX_NEAREST_H

#include "matrix/ask.h"

struct data;

struct nearest {
    struct arena *arena;
    const struct ask *ask;
    const struct stack_request *request;
    struct data *list; /* of {change, request, resolution} */
};

/* The part of a request that a demand of that kind changes; no option: none. */
struct slot {
    const char *option;
    size_t offset; /* of the text in struct stack_request */
};

extern const struct slot slots[DEMAND_KINDS];

/* Adds the changed request to the list where it works, and on no row of low confidence. */
bool nearest_try(const struct nearest *n, const struct stack_request *changed, struct data *change);
/* Where no single change suffices: the fewest at once that do. */
void nearest_try_sets(const struct nearest *n);

#endif

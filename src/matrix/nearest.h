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

/* One change, in words: "--driver 580". */
struct data *nearest_change(struct arena *arena, enum stack_choice choice, const char *value);
/* Adds the changed request to the list where it works, and on no row of low confidence. */
bool nearest_try(const struct nearest *n, const struct stack_request *changed, struct data *change);
/* Where no single change suffices: the fewest at once that do. */
void nearest_try_sets(const struct nearest *n);

#endif

/* What would fit, one change or several. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_NEAREST_H
#define TMPLGEN_MATRIX_NEAREST_H

#include "matrix/ask.h"

struct data;

/* The list `nearest`: requests that work, the mildest changes first. */
struct data *nearest_data(struct arena *arena, const struct ask *ask,
                          const struct stack_request *request);

#endif

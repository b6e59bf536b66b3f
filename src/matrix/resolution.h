/* A chosen candidate as the `resolution` of JSON.md. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_RESOLUTION_H
#define TMPLGEN_MATRIX_RESOLUTION_H

#include "matrix/candidate.h"

struct data;

/* The map, keys in the order of JSON.md. */
struct data *resolution_data(struct arena *arena, const struct ask *ask,
                             const struct candidate *candidate);

#endif

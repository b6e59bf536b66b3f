/* A chosen candidate as the `resolution` of docs/json.md. */
#ifndef TMPLGEN_RESOLUTION_H
#define TMPLGEN_RESOLUTION_H

#include "resolver/search/problem.h"

struct data;

/* The map, keys in the order of docs/json.md. */
struct data *resolution_data(struct arena *arena, const struct demands *ask,
                             const struct candidate *candidate);

#endif

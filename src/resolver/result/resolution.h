/* A chosen candidate as the `resolution` of JSON.md. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLUTION_H
#define TMPLGEN_RESOLUTION_H

#include "resolver/search/candidate.h"

struct data;

/* The map, keys in the order of JSON.md. */
struct data *resolution_data(struct arena *arena, const struct demands *ask,
                             const struct candidate *candidate);

#endif

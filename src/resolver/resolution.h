/* A chosen candidate as the `resolution` of JSON.md. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_RESOLUTION_H
#define TMPLGEN_RESOLVER_RESOLUTION_H

#include "resolver/candidate.h"

struct data;

/* The map, keys in the order of JSON.md. */
struct data *resolution_data(struct arena *arena, const struct ask *ask,
                             const struct candidate *candidate);

#endif

/* What would fit, one change or several. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_NEAREST_H
#define TMPLGEN_RESOLVER_NEAREST_H

#include "resolver/ask.h"

struct data;

/* The list `nearest`: requests that work, the mildest changes first. */
struct data *nearest_data(struct arena *arena, const struct ask *ask);

#endif

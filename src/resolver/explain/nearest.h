/* What would fit, one change or several. */
#ifndef TMPLGEN_NEAREST_H
#define TMPLGEN_NEAREST_H

#include "resolver/search/demands.h"

struct data;

/* The list `nearest`: requests that work, the mildest changes first. */
struct data *nearest_data(struct arena *arena, const struct demands *ask);

#endif

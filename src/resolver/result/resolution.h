/* A chosen candidate as the `resolution` of docs/json.md. */
#pragma once

#include "resolver/search/problem.h"

struct data;

/* The map, keys in the order of docs/json.md. */
struct data *resolution_data(struct arena *arena, const struct demands *ask,
                             const struct candidate *candidate);

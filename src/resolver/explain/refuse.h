/* Why nothing fits, and what would. */
#pragma once

#include "resolver/search/demands.h"

struct data;

/* A set of demands that can not be met together, any of which dropped can. Empty: nothing fits. */
uint64_t minimal_conflict(const struct demands *ask);
/* The list `conflicts` of docs/json.md for such a set. */
struct data *conflicts_data(struct arena *arena, const struct demands *ask, uint64_t set);

/* The list `nearest`: requests that work, the mildest changes first. */
struct data *nearest_data(struct arena *arena, const struct demands *ask);

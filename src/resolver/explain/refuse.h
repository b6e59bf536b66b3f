/* Explains a refusal: why nothing fits, and which requests would. */
#pragma once

#include "resolver/search/demands.h"

struct data;

/* A minimal conflict: demands that fit once any one of them is dropped. Empty: nothing fits. */
uint64_t minimal_conflict(const struct demands *ask);
/* The list `conflicts` of docs/json.md for such a set. */
struct data *conflicts_data(struct arena *arena, const struct demands *ask, uint64_t set);

/* The list `nearest`: requests that work, the smallest changes first. */
struct data *nearest_data(struct arena *arena, const struct demands *ask);

/* The consequences of a chosen candidate: its driver, its partners, the rows behind it. */
#pragma once

#include "resolver/rules/gpu_coverage.h"
#include "resolver/rules/rules.h"
#include "resolver/search/problem.h"

struct data;

#define FACTS_MAX 64 /* rows that one stack rests on */

struct chosen_set {
    struct arena *arena;
    const struct demands *ask;
    const struct problem *problem;
    const struct candidate *candidate;
    enum reliance reliance;        /* of the driver, or of `minimum` where the user named none */
    const struct version *minimum; /* the lowest driver; NULL: none is needed */
    struct package_pick picks[MEMBERS_MAX];
};

void chosen_init(struct chosen_set *out, struct arena *arena, const struct problem *problem,
                 const struct candidate *candidate);
/* Lists the rows that the stack rests on; returns their number. */
size_t chosen_facts(const struct fact *facts[FACTS_MAX], const struct chosen_set *s);
/* True where the image's LD_LIBRARY_PATH would put its libraries before the wheel's. */
bool chosen_is_shadowed(const struct chosen_set *s);
/* True where a member is present, beside the framework. */
bool chosen_has(const struct chosen_set *s, size_t member);

/*
 * Puts `requirements`, `index_url`, `index_requirements`, `find_links`, `build_requirements`,
 * `build_image` and `cpu` of docs/json.md. cuDNN must stay below `cudnn_bound`; NULL: no bound.
 */
void put_requirements(struct data *map, const struct chosen_set *s, const char *cudnn_bound);

/* The list `notes` of {code, text}: what a user should know of a stack besides its versions. */
struct data *notes_data(const struct chosen_set *s);

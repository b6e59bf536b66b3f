/* Walks the candidates in order of preference, and finds the first without an objection. */
#pragma once

#include "resolver/rules/rules.h"

/* Finds the best candidate for those demands of the request; false: none. */
bool search_best(struct candidate *out, const struct demands *ask, uint64_t active);

/* The same; `problem` gets what the search accepted when it found it. */
bool search_tiers(struct candidate *out, struct problem *problem, const struct demands *ask,
                  uint64_t active);
/* Finds the best candidate of one build; false: none. */
bool search_build(struct candidate *out, const struct problem *problem,
                  const struct release *release, const struct build *build);
/*
 * Finds the image of the build's own CUDA that `chosen` would have, if the gate let it start and it
 * were not at its end of life, and the objection to it; false: there is none.
 */
bool search_exact_image(struct candidate *out, const struct problem *problem,
                        const struct candidate *chosen, struct objection *objection);
/* Why no image will do for a build; `candidate` gets the last image tried. */
void search_object_image(const struct problem *problem, struct candidate *candidate,
                         struct objection *objection);

/* Called with every candidate that solves `problem`; true ends the walk. */
typedef bool (*candidate_fn)(void *context, const struct candidate *candidate);
/* Walks the candidates by release and build in order of preference. */
void search_walk(const struct problem *problem, candidate_fn visit, void *context);

/*
 * True where the rules or the packages object to a candidate at one tier. `out` may be NULL, else
 * it gets the first objection. Takes steps of the run's budget, and objects to everything once that
 * is spent: the caller checks budget_steps.
 */
bool objects(const struct problem *problem, const struct candidate *candidate, enum tier tier,
             struct objection *out);
/* The same at all tiers, in their order. */
bool objects_at_all(const struct problem *problem, const struct candidate *candidate,
                    struct objection *out);

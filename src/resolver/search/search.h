/* The candidates in order of preference, and the first that no rule speaks against. */
#pragma once

#include "resolver/rules/rules.h"

/* The best candidate for those demands of the request, or false. */
bool search_best(struct candidate *out, const struct demands *ask, uint64_t active);

/* The same; `problem` gets what the search was ready to accept when it found it. */
bool search_tiers(struct candidate *out, struct problem *problem, const struct demands *ask,
                  uint64_t active);
/* The best candidate of one build, or false. */
bool search_build(struct candidate *out, const struct problem *problem,
                  const struct release *release, const struct build *build);
/*
 * The image of the build's own CUDA that `chosen` would have, were it let start and not at its end
 * of life, and what speaks against it; false where there is none.
 */
bool search_exact_image(struct candidate *out, const struct problem *problem,
                        const struct candidate *chosen, struct objection *objection);
/* Why no image will do for a build that has none; `candidate` gets the last one looked at. */
void search_object_image(const struct problem *problem, struct candidate *candidate,
                         struct objection *objection);

/* Called with every candidate that lives up to `problem`; true ends the walk. */
typedef bool (*candidate_fn)(void *context, const struct candidate *candidate);
/* Walks them by release and build in order of preference. */
void search_walk(const struct problem *problem, candidate_fn visit, void *context);

/*
 * Whether the rules or the packages speak against a candidate at one tier; `out` may be NULL, else
 * it gets the first objection. Takes steps of the run's budget, and speaks against everything once
 * that is spent: the caller asks budget_steps.
 */
bool objects(const struct problem *problem, const struct candidate *candidate, enum tier tier,
             struct objection *out);
/* At all tiers, in their order. */
bool objects_at_all(const struct problem *problem, const struct candidate *candidate,
                    struct objection *out);

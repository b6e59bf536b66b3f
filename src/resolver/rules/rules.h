/* The hard rules: why a candidate will not do. */
#pragma once

#include "resolver/search/problem.h"

enum tier { TIER_RELEASE, TIER_BUILD, TIER_PYTHON, TIER_IMAGE };

/*
 * Whether a rule of that tier speaks against the candidate by itself, whatever else must live with
 * it. `out` may be NULL; else it gets the first objection.
 */
bool rules_object(const struct problem *problem, const struct candidate *candidate, enum tier tier,
                  struct objection *out);
/* What is not known of a release of low confidence, where its rows say so; or NULL. */
const char *doubt_of(const struct release *release);
/* Objects to a release of `row` that is not what was asked for; true. */
bool object_to_release(struct objection *out, const struct framework *row,
                       const struct release *release, const struct spec *asked);
/* From 0, the flavour that the supply needs; -1 where it will not do. */
int flavour_rank(const char *supply, bool wants_cudnn, const char *flavour);

/* ------------------------------------------------------------------ packages of one environment */

/* What is chosen of a member; no release: it is not there. */
struct package_pick {
    const struct release *release;
    const struct build *build;
};

/*
 * The newest releases, in the order of the members, that go with a candidate and with each other:
 * Python, processor, glibc, pins both ways, one CUDA and cuDNN major, CUDA libraries that can be
 * installed together, GPUs and driver covered, one index beside pip's own. False: there are none,
 * and `out` (may be NULL) gets the objection that came last.
 */
bool with_find(struct package_pick picks[MEMBERS_MAX], const struct problem *problem,
               const struct candidate *candidate, struct objection *out);
/* The index that a build's wheels are on, filled in; NULL: pip's own. */
const char *index_of(struct arena *arena, const struct problem *problem,
                     const struct framework *row, const struct package_pick *pick);

/* The hard rules: why a candidate is unusable. */
#pragma once

#include "resolver/search/problem.h"

enum tier { TIER_RELEASE, TIER_BUILD, TIER_PYTHON, TIER_IMAGE };

/*
 * True where a rule of that tier objects to the candidate alone, whatever other packages it must
 * live with. `out` may be NULL; else it gets the first objection.
 */
bool rules_object(const struct problem *problem, const struct candidate *candidate, enum tier tier,
                  struct objection *out);
/* The doubt that the rows of a release of low confidence note; or NULL. */
const char *doubt_of(const struct release *release);
/* Objects to a release of `row` that the request does not ask for; returns true. */
bool object_to_release(struct objection *out, const struct framework *row,
                       const struct release *release, const struct spec *asked);
/* The rank of a flavour, from 0, the one that the supply needs; -1: it will not do. */
int flavour_rank(const char *supply, bool wants_cudnn, const char *flavour);

/* ------------------------------------------------------------------ packages of one environment */

/* The choice for a member; no release: the member is absent. */
struct package_pick {
    const struct release *release;
    const struct build *build;
};

/*
 * Finds the newest releases, in the order of the members, that go with a candidate and with each
 * other: Python, processor, glibc, pins both ways, one CUDA and cuDNN major, CUDA libraries that
 * can be installed together, GPUs and driver covered, one index beside pip's own. False: there are
 * none, and `out` (may be NULL) gets the objection that got furthest.
 */
bool with_find(struct package_pick picks[MEMBERS_MAX], const struct problem *problem,
               const struct candidate *candidate, struct objection *out);
/* The index with a build's wheels, filled in; NULL: pip's own. */
const char *index_of(struct arena *arena, const struct problem *problem,
                     const struct framework *row, const struct package_pick *pick);

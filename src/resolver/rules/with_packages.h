/* Packages that must live with the framework in one environment. */
#ifndef TMPLGEN_WITH_PACKAGES_H
#define TMPLGEN_WITH_PACKAGES_H

#include "resolver/rules/rules.h"

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
/* Whether there are none. */
bool with_objects(const struct problem *problem, const struct candidate *candidate,
                  struct objection *out);
/* The index that a build's wheels are on, filled in; NULL: pip's own. */
const char *index_of(struct arena *arena, const struct problem *problem,
                     const struct framework *row, const struct package_pick *pick);

#endif

/* Packages that must live with the framework in one environment. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_WITH_H
#define TMPLGEN_RESOLVER_WITH_H

#include "resolver/rules.h"

/*
 * The release and build of another framework that goes with a candidate: same Python, processor and
 * CUDA major, same cuDNN major where both have one, GPUs and driver covered, the image enough for
 * both. False: there is none, and `out` (may be NULL) gets the objection that came last.
 */
bool with_partner(struct candidate *partner, const struct problem *problem,
                  const struct candidate *candidate, const struct asked_package *package,
                  struct objection *out);
/* The same for every package that is asked for, companions and pins of the release included. */
bool with_objects(const struct problem *problem, const struct candidate *candidate,
                  struct objection *out);

#endif

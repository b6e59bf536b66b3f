/* What a driver runs, and what it relies on for that. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_DRIVER_H
#define TMPLGEN_RESOLVER_DRIVER_H

#include "resolver/problem.h"

/* Later than the second number of every release of a driver branch. */
#define LAST_RELEASE 999999

/* How a driver comes to run a build's CUDA. */
enum reliance { RELIES_NOT, RELIES_NATIVE, RELIES_MINOR, RELIES_FORWARD };

/* What a driver relies on to run a build with some CUDA; forward compatibility only where allowed.
 */
enum reliance driver_reliance(const struct problem *problem, const struct build *build,
                              const struct version *cuda, const struct version *driver,
                              const struct branch *branch);
/* The forward-compatibility row for that build on that branch, or NULL. */
const struct forward *forward_of(const struct problem *problem, const struct build *build,
                                 const struct branch *branch);
/* The lowest driver that runs cubins of the build, and the row that says so; NULL: not known. */
const struct version *driver_floor(const struct matrix *matrix, const struct build *build,
                                   const struct fact **fact);

#endif

/* What a driver runs, and what it relies on for that. */
#ifndef TMPLGEN_DRIVER_SUPPORT_H
#define TMPLGEN_DRIVER_SUPPORT_H

#include "resolver/search/problem.h"

/* Later than the second number of every release of a driver branch. */
#define LAST_RELEASE 999999

/*
 * How a driver comes to run a build's CUDA, the surest way first. NATIVE: it is at least the driver
 * that the toolkit was released with (release notes of CUDA, table 3), so that all of it works.
 * MINOR: it is older, but of the toolkit's major (table 2: 11.x from 450, 12.x from 525, 13.x from
 * 580); compiled kernels run, PTX does not. FORWARD: it is older still, and a cuda-compat package
 * brings a newer libcuda, which NVIDIA supports on the branches of its forward-compatibility table
 * and, of GPUs, on data-center parts only (elsewhere: error 804). NOT: nothing bridges the gap.
 * They are told apart because they allow different things, and a user should know on which one a
 * service stands.
 */
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

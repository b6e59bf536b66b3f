/* Which GPUs a build has kernels for, what a driver runs, and what it relies on for that. */
#pragma once

#include "resolver/search/problem.h"

/*
 * How a build reaches a compute capability: a cubin's, else the PTX's, else 0.
 *
 * A cubin is machine code: it runs on GPUs of its own major and of its minor or a later one, and on
 * no others (CUDA programming guide, binary compatibility). PTX is what the driver compiles for any
 * later GPU, so a wheel that holds PTX runs on cards that came after it. Without counting PTX,
 * every new GPU would be refused until wheels were built for it; with it, the driver must know the
 * PTX: see compiles_ptx.
 */
int covering_cubin(const struct build *build, const char *arch, int cc);
int covering_ptx(const struct build *build, const char *arch, int cc);
const struct ccs *cubins_of(const struct build *build, const char *arch);
/* Whether the build's cubins are not known, and its own bounds speak for it. */
bool covered_by_bounds(const struct build *build, int cc);
/* The same where what its CUDA knows of speaks for it too. */
bool covers_unseen(const struct problem *problem, const struct build *build, int cc);
/* Whether a toolkit knows a compute capability at all; where the table is silent, yes. */
bool toolkit_makes(const struct matrix *matrix, const struct version *cuda, int cc);
/*
 * Whether the driver compiles the build's PTX. A driver reads no PTX newer than itself, not even
 * inside a major (error 222, "unsupported toolchain"): minor-version compatibility is of no use.
 */
bool compiles_ptx(const struct problem *problem, const struct build *build);

/* Whether some cuDNN, used with some CUDA, has no kernels for one of the GPUs. */
bool cudnn_lacks(const struct problem *problem, const struct version *cudnn,
                 const struct version *cuda, struct objection *out);
/*
 * For a build that leaves cuDNN open: the row of the newest one with kernels for every GPU, and
 * whether that is the newest at all. NULL: none is known to have them.
 */
const struct cudnn *cudnn_choice(const struct problem *problem, const struct build *build,
                                 bool *newest);

/* ------------------------------------------------------------------ drivers */

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

/* What a driver relies on to run a build with some CUDA; forward packages only where allowed. */
enum reliance driver_reliance(const struct problem *problem, const struct build *build,
                              const struct version *cuda, const struct version *driver,
                              const struct branch *branch);
/* The forward-compatibility row for that build on that branch, or NULL. */
const struct forward *forward_of(const struct problem *problem, const struct build *build,
                                 const struct branch *branch);
/* The lowest driver that runs cubins of the build, and the row that says so; NULL: not known. */
const struct version *driver_floor(const struct matrix *matrix, const struct build *build,
                                   const struct fact **fact);

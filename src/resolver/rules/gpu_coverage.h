/* Which GPUs a build has kernels for, which builds a driver runs, and on what that relies. */
#pragma once

#include "resolver/search/problem.h"

/*
 * How a build covers a compute capability: the cubin that does, the PTX that does; 0: none.
 *
 * A cubin is machine code: it runs on GPUs of its own major and of its minor or a later one, and on
 * no others (CUDA programming guide, binary compatibility). The driver compiles PTX for any later
 * GPU, so a wheel with PTX runs on cards that came after it. Without counting PTX, every new GPU
 * would be refused until wheels were built for it; with it, the driver must know the PTX: see
 * compiles_ptx.
 */
int covering_cubin(const struct build *build, const char *arch, int cc);
int covering_ptx(const struct build *build, const char *arch, int cc);
const struct ccs *cubins_of(const struct build *build, const char *arch);
/* True where the build's cubins are not known, and its own bounds admit the GPU. */
bool covered_by_bounds(const struct build *build, int cc);
/* The same, where the build's CUDA knows the GPU, too. */
bool covers_unseen(const struct problem *problem, const struct build *build, int cc);
/* True where a toolkit knows a compute capability at all, or the table does not say. */
bool toolkit_makes(const struct matrix *matrix, const struct version *cuda, int cc);
/*
 * True where the driver compiles the build's PTX. A driver reads no PTX newer than itself, not even
 * inside a major (error 222, "unsupported toolchain"): minor-version compatibility is no help.
 */
bool compiles_ptx(const struct problem *problem, const struct build *build);

/* True where some cuDNN, used with some CUDA, has no kernels for one of the GPUs. */
bool cudnn_lacks(const struct problem *problem, const struct version *cudnn,
                 const struct version *cuda, struct objection *out);
/*
 * For a build that leaves cuDNN open: the row of the newest cuDNN with kernels for every GPU;
 * `*newest` is true where that is the newest of all. NULL: none is known to have them.
 */
const struct cudnn *cudnn_choice(const struct problem *problem, const struct build *build,
                                 bool *newest);

/* ------------------------------------------------------------------ drivers */

/* Greater than the second number of every release of a driver branch. */
#define LAST_RELEASE 999999

/*
 * How a driver can run a build's CUDA, the surest way first. NATIVE: it is at least the driver that
 * the toolkit was released with (release notes of CUDA, table 3), so that everything works. MINOR:
 * it is older, but of the toolkit's major (table 2: 11.x from 450, 12.x from 525, 13.x from 580);
 * compiled kernels run, PTX does not. FORWARD: it is older still, and a cuda-compat package brings
 * a newer libcuda, which NVIDIA supports on the branches of its forward-compatibility table and, of
 * GPUs, on data-center parts only (elsewhere: error 804). NOT: nothing bridges the gap. The ways
 * allow different things, so a user should know on which one a service relies.
 */
enum reliance { RELIES_NOT, RELIES_NATIVE, RELIES_MINOR, RELIES_FORWARD };

/* What a driver relies on to run a build with some CUDA; counts forward packages if allowed. */
enum reliance driver_reliance(const struct problem *problem, const struct build *build,
                              const struct version *cuda, const struct version *driver,
                              const struct branch *branch);
/* Finds the forward-compatibility row for that build on that branch, or NULL. */
const struct forward *forward_of(const struct problem *problem, const struct build *build,
                                 const struct branch *branch);
/* The lowest driver that runs cubins of the build, and the row with it; NULL: not known. */
const struct version *driver_floor(const struct matrix *matrix, const struct build *build,
                                   const struct fact **fact);

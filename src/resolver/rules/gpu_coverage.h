/* Which GPUs a build has kernels for. */
#ifndef TMPLGEN_GPU_COVERAGE_H
#define TMPLGEN_GPU_COVERAGE_H

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

#endif

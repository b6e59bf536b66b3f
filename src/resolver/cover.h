/* Which GPUs a build has kernels for. Inside src/resolver/ only. */
#ifndef TMPLGEN_RESOLVER_COVER_H
#define TMPLGEN_RESOLVER_COVER_H

#include "resolver/problem.h"

/* How a build reaches a compute capability: a cubin's, else the PTX's, else 0. */
int covering_cubin(const struct build *build, const char *arch, int cc);
int covering_ptx(const struct build *build, const char *arch, int cc);
const struct ccs *cubins_of(const struct build *build, const char *arch);
/* Whether the build's cubins are not known, and its own bounds speak for it. */
bool covered_by_bounds(const struct build *build, int cc);
/* The same where what its CUDA knows of speaks for it too. */
bool covers_unseen(const struct problem *problem, const struct build *build, int cc);
/* Whether a toolkit knows a compute capability at all; where the table is silent, yes. */
bool toolkit_makes(const struct matrix *matrix, const struct version *cuda, int cc);
/* PTX is compiled by the driver, which must not be older than the toolkit that made it. */
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

/* The row of a build: its CUDA and libraries, and which GPUs it covers. */
#ifndef TMPLGEN_PROPOSAL_BUILD_H
#define TMPLGEN_PROPOSAL_BUILD_H

struct data;
struct proposal;

/*
 * The CUDA that the index proves, else that of the model where the index leaves room for it, in the
 * arena or the matrix; NULL: neither. Needs the evidence; says why.
 */
const char *proven_cuda(const struct proposal *p);
/* "cu132" in the arena where the model's variant is written by its CUDA, else its own name. */
const char *variant_for(const struct proposal *p, const char *cuda);
/* Adds the row to the list, or why there is none. `cuda` is what is proven; NULL: nothing. */
void propose_build(const struct proposal *p, struct data *list, const char *cuda);

#endif

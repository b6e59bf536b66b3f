/* A row against the wheels of its release. */
#ifndef TMPLGEN_VERIFY_WHEELS_H
#define TMPLGEN_VERIFY_WHEELS_H

struct verification;

/*
 * Pythons, processors, glibc, CUDA, cuDNN and NCCL, and whether what is installed is the whole of
 * it. Needs evidence of a release that is there and has a wheel; asks for no more.
 */
void verify_wheels(const struct verification *c);

#endif

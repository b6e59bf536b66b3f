/* Runs PTX text on the host: the few instructions that the smoke test's kernels use. */
#ifndef PTX_H
#define PTX_H

/* Runs the kernel of that name on gx * gy blocks of bx * by threads; args as cuLaunchKernel takes
 * them. -1: an instruction that is not known, or a thread that does not end. */
int ptx_run(const char *text, const char *kernel, unsigned gx, unsigned gy, unsigned bx,
            unsigned by, void **args);

#endif

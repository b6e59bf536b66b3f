/* What a host, with the driver and GPUs that it has, can run of a matrix. */
#ifndef TMPLGEN_HOST_SUPPORT_H
#define TMPLGEN_HOST_SUPPORT_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct data;
struct matrix;

struct machine_gpu {
    const char *name;       /* as the driver says it: "NVIDIA A100-SXM4-40GB" */
    int compute_capability; /* 80; 0: not known */
};

struct machine {
    const char *driver; /* of the kernel: "580.95.05" */
    const char *arch;   /* "x86_64", "aarch64" */
    const struct machine_gpu *gpus;
    size_t gpu_count;
};

/* What the matrix calls a GPU of a machine: a model, or sm_NN; NULL where it knows neither. */
const char *matrix_gpu_word(struct arena *arena, const struct matrix *matrix,
                            const struct machine_gpu *gpu);

/*
 * A map: `request` (what was asked of every framework), `unknown_gpus`, `rows` (how many builds for
 * CUDA the matrix has), `runs` (how many of them run here), `forward` (how many more do with a
 * forward-compatibility package), `frameworks` (of each the newest stack
 * that runs, or why none does), `images` (the images of those, the most wanted first),
 * `newer_drivers` (each later branch that would open something, and what). `matrix` was read as a
 * whole. Exit 2 where the driver is no version.
 */
TG_CHECKED int matrix_runs(struct data **out, struct arena *arena, const struct matrix *matrix,
                           const struct machine *machine, struct err *err);

/*
 * Whether a resolution (docs/json.md) runs there; `request` is what led to it, or NULL: a map of
 * `runs` (true, false; null where this matrix does not know the stack), `relies_on`, `because`.
 */
struct data *matrix_runs_stack(struct arena *arena, const struct matrix *matrix,
                               const struct machine *machine, const struct data *resolution,
                               const struct data *request);

#endif

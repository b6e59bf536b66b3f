/* The resolver: a request in, one consistent stack or reasons out; what a host runs of a matrix. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "resolver/request.h"

#include <stddef.h>

struct arena;
struct buf;
struct data;
struct matrix;

/*
 * Resolves. Success: `*resolution` is the map of docs/json.md, keys in that order. No solution:
 * exit 4, code "unsatisfiable", and `*refusal` is a map {conflicts, nearest} of docs/json.md. Wrong
 * usage (an unknown word, a bad SPEC): exit 2 with the nearest names. Same input, same output,
 * always.
 */
TG_CHECKED int matrix_resolve(struct data **resolution, struct data **refusal, struct arena *arena,
                              const struct matrix *matrix, const struct stack_request *request,
                              struct err *err);

/*
 * For a request that resolves: a map of `chosen` (what, value, because) and `passed_over` (what,
 * reason, because, source), every build that would have been preferred. Exit 4 where nothing is
 * chosen.
 */
TG_CHECKED int matrix_why(struct data **out, struct arena *arena, const struct matrix *matrix,
                          const struct stack_request *request, struct err *err);
/* What differs between two resolutions: a list of {what, from, to}. */
struct data *matrix_diff(struct arena *arena, const struct data *from, const struct data *to);

/* Human words for a resolution and for a refusal, fitting a screen, appended to `out`. */
int matrix_explain(struct buf *out, const struct data *resolution);
int matrix_explain_refusal(struct buf *out, const struct data *refusal);
/* The same for what matrix_why and matrix_diff make. */
int matrix_explain_why(struct buf *out, const struct data *why);
int matrix_explain_diff(struct buf *out, const struct data *diff);

/* ------------------------------------------------------------------ what a host runs */

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

/*
 * Calls `report` with every finding of a matrix that was read as a whole; the error has exit 2 and
 * a place, and is the callee's only during the call. `tags`: the tags that are known to exist, one
 * a line, or an empty span: not looked at. Returns how many findings there were.
 */
size_t matrix_check(struct arena *arena, const struct matrix *matrix, struct span tags,
                    void (*report)(void *context, const struct err *finding), void *context);

/* The resolver: from a request to one consistent stack or reasons; and what a host can run. */
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
 * reason, because, source), which has every build that preference ranks higher. Exit 4 where
 * nothing is chosen.
 */
TG_CHECKED int matrix_why(struct data **out, struct arena *arena, const struct matrix *matrix,
                          const struct stack_request *request, struct err *err);
/* The differences between two resolutions: a list of {what, from, to}. */
struct data *matrix_diff(struct arena *arena, const struct data *from, const struct data *to);

/* Appends a resolution, or a refusal, to `out` in words for people that fit a screen. */
int matrix_explain(struct buf *out, const struct data *resolution);
int matrix_explain_refusal(struct buf *out, const struct data *refusal);
/* The same for the results of matrix_why and matrix_diff. */
int matrix_explain_why(struct buf *out, const struct data *why);
int matrix_explain_diff(struct buf *out, const struct data *diff);

/* ------------------------------------------------------------------ hosts */

struct machine_gpu {
    const char *name;       /* in the driver's words: "NVIDIA A100-SXM4-40GB" */
    int compute_capability; /* 80; 0: not known */
};

struct machine {
    const char *driver; /* the kernel's: "580.95.05" */
    const char *arch;   /* "x86_64", "aarch64" */
    const struct machine_gpu *gpus;
    size_t gpu_count;
};

/* The matrix's word for a GPU of a machine: a model, or sm_NN; NULL where it knows neither. */
const char *matrix_gpu_word(struct arena *arena, const struct matrix *matrix,
                            const struct machine_gpu *gpu);

/*
 * Makes a map: `request` (the same for every framework), `unknown_gpus`, `rows` (how many builds
 * for CUDA the matrix has), `runs` (how many of them run here), `forward` (how many more do with a
 * forward-compatibility package), `frameworks` (for each the newest stack that runs, or why none
 * does), `images` (the images of those, the most wanted first), `newer_drivers` (each later branch
 * that allows more, and what). `matrix` was read as a whole. Exit 2 where the driver is no version.
 */
TG_CHECKED int matrix_runs(struct data **out, struct arena *arena, const struct matrix *matrix,
                           const struct machine *machine, struct err *err);

/*
 * Tells whether a resolution (docs/json.md) runs there; `request` led to it, or is NULL. A map:
 * `runs` (true, false; null where this matrix does not know the stack), `relies_on`, `because`.
 */
struct data *matrix_runs_stack(struct arena *arena, const struct matrix *matrix,
                               const struct machine *machine, const struct data *resolution,
                               const struct data *request);

/*
 * Calls `report` with every finding in a matrix that was read as a whole. The error has exit 2 and
 * a place, and the callee may use it only during the call. `tags` are the tags known to exist, one
 * a line; empty: tags are not checked. Returns the number of findings.
 */
size_t matrix_check(struct arena *arena, const struct matrix *matrix, struct span tags,
                    void (*report)(void *context, const struct err *finding), void *context);

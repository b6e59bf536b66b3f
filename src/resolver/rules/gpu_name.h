/* Finds the GPU that a text means. */
#pragma once

#include "matrix/facts.h"

struct asked_gpu {
    const char *name; /* as the matrix writes it; "sm_86" */
    int cc;
    const struct gpu *gpu; /* NULL: the text named only a compute capability */
    const struct architecture *architecture;
};

/* Exit 2 where the matrix has no such GPU. */
TG_CHECKED int gpu_find(struct asked_gpu *out, struct arena *arena, const struct matrix *matrix,
                        const char *text, struct err *err);

/* Whether `text` is a word for what no matrix holds, other makers' GPUs or other systems: then exit
 * 2 with `code` is set, which says what is possible. */
bool is_elsewhere(struct err *err, const char *code, const char *text);

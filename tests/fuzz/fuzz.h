/* What every fuzzer begins with. */
#pragma once

#include "base/budget.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A promise that is broken is a finding. Names the line: after inlining a stack does not. */
#define must(held) must_at((held), __FILE__, __LINE__)

static inline void must_at(bool held, const char *file, int line)
{
    if (held)
        return;
    (void)fprintf(stderr, "broken promise: %s:%d\n", file, line);
    abort();
}

/*
 * Each input is a run of its own: no step is taken yet. Memory that is past its limit where nobody
 * looked aborts, which is a finding. Sanitizers take some more: so the limit is lower here.
 */
static inline void fuzz_begin(void)
{
    ERR_SCRATCH(err);
    if (budget_start("256", &err) < 0)
        abort();
}

/* What every fuzzer begins with. */
#ifndef TMPLGEN_TESTS_FUZZ_FUZZ_H
#define TMPLGEN_TESTS_FUZZ_FUZZ_H

#include "base/budget.h"

#include <stdlib.h>

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

#endif

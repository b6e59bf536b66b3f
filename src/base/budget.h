/*
 * The budget of one run for foreign input. Single limits are in base/limits.h; this is their sum,
 * so that many small inputs cannot get around them. Memory is counted in base/account.h.
 */
#pragma once

#include "base/account.h"
#include "base/err.h"

#include <stddef.h>

/* Fails (2, "limit") if the run has exceeded its memory limit. */
TG_CHECKED int budget_check(struct err *err);
/* Fails if `bytes` more would exceed the limit. Call it before an operation that cannot fail. */
TG_CHECKED int budget_room(size_t bytes, struct err *err);
/* Always fails this way: for a library that was refused memory and has freed what it had. */
int budget_fail(struct err *err);
/* Takes `steps`, and fails if none are left of the run's LIMIT_RUN_STEPS. */
TG_CHECKED int budget_steps(size_t steps, struct err *err);
/*
 * As budget_steps, where no error can be returned: false if the steps are used up. A search then
 * ends as if it had found nothing; the code that began it calls budget_steps, which fails.
 */
bool budget_try_steps(size_t steps);
/* The steps taken so far, for a caller with a smaller limit of its own. */
size_t budget_taken(void);
/*
 * glob_match on foreign patterns and paths, counted as steps: rules and files multiply. Matches
 * nothing if the steps are used up; the loop around it calls budget_steps.
 */
bool budget_glob(const char *glob, const char *path);
/* The number of steps that reading `bytes` costs, at least 1. */
size_t budget_steps_of(size_t bytes);
/* Counts rendered bytes. */
TG_CHECKED int budget_rendered(size_t bytes, struct err *err);

/*
 * Begins a run with no steps taken. `memory` is TMPLGEN_MEMORY from the environment, in MiB; NULL
 * stands for LIMIT_RUN_MEMORY_BYTES. Exit 2 if it is not a sensible number.
 */
TG_CHECKED int budget_start(const char *memory, struct err *err);

/*
 * What one run may spend, all in all, on what others wrote. Parts have limits of their
 * own (base/limits.h); this is their sum, so that many allowed parts are no way around them. Memory
 * is counted in base/account.h.
 */
#pragma once

#include "base/account.h"
#include "base/err.h"

#include <stddef.h>

/* Fails (2, "limit") once more memory is taken than the run may have. */
TG_CHECKED int budget_check(struct err *err);
/* Fails where so many bytes more would be too much: before something that cannot fail any more. */
TG_CHECKED int budget_room(size_t bytes, struct err *err);
/* Fails so in any case: for a library that was refused memory, and has given back what it had. */
int budget_fail(struct err *err);
/* Takes steps, too, and fails when none are left: the run may take LIMIT_RUN_STEPS. */
TG_CHECKED int budget_steps(size_t steps, struct err *err);
/*
 * The same where no error can be returned: whether there were so many left. Once there are not, a
 * search ends as if it had found nothing, and the code that began it asks budget_steps, which
 * fails.
 */
bool budget_try_steps(size_t steps);
/* The steps taken so far: for a caller that may take fewer than all of them. */
size_t budget_taken(void);
/*
 * glob_match of what others wrote, as steps: rules and files multiply. Once those are spent nothing
 * matches, and the loop asks budget_steps.
 */
bool budget_glob(const char *glob, const char *path);
/* How many steps it is to look at so many bytes, 1 at least. */
size_t budget_steps_of(size_t bytes);
/* Counts what was rendered. */
TG_CHECKED int budget_rendered(size_t bytes, struct err *err);

/*
 * Begins a run: no step is taken. `memory` is the environment's TMPLGEN_MEMORY, in MiB, or NULL for
 * LIMIT_RUN_MEMORY_BYTES; anything but a number that makes sense is exit 2.
 */
TG_CHECKED int budget_start(const char *memory, struct err *err);

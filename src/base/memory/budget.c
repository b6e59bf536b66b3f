/* The budget of one run for foreign input. */
#include "base/budget.h"

#include "base/limits.h"
#include "base/str.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Reading so many bytes, character by character, takes as long as one step of a template. */
#define STEP_BYTES ((size_t)16)
#define MEMORY_MIB_MIN 64UL
#define MEMORY_MIB_MAX (1024UL * 1024UL)

static struct {
    atomic_size_t steps, rendered;
} spent;

int budget_fail(struct err *err)
{
    size_t mib = account_limit() / LIMIT_MIB;
    (void)err_set(err, TG_USAGE, "limit",
                  "more than %zu MiB of memory would be taken for what is read here, the limit of "
                  "a run",
                  mib);
    return err_hint(
        err, "if that is meant, TMPLGEN_MEMORY=%zu in the environment allows so many MiB", 2 * mib);
}

int budget_room(size_t bytes, struct err *err)
{
    return account_has_room(bytes) ? budget_check(err) : budget_fail(err);
}

int budget_check(struct err *err)
{
    return account_is_spent() ? budget_fail(err) : 0;
}

size_t budget_taken(void)
{
    return atomic_load_explicit(&spent.steps, memory_order_relaxed);
}

bool budget_try_steps(size_t steps)
{
    size_t before = budget_taken();
    if (steps > LIMIT_RUN_STEPS || before > LIMIT_RUN_STEPS - steps) {
        spent.steps = LIMIT_RUN_STEPS + 1;
        return false;
    }
    (void)atomic_fetch_add_explicit(&spent.steps, steps, memory_order_relaxed);
    return true;
}

int budget_steps(size_t steps, struct err *err)
{
    if (!budget_try_steps(steps))
        return err_set(err, TG_USAGE, "limit",
                       "more than %zu steps would be taken over what is read here, the limit of a "
                       "run",
                       LIMIT_RUN_STEPS);
    return budget_check(err);
}

/* Following so many states of a glob costs as much as one step. */
#define STATES_IN_ONE 16

bool budget_glob(const char *glob, const char *path)
{
    size_t work = 0;
    if (!budget_try_steps(1))
        return false;
    bool matches = glob_match_counted(&work, glob, path);
    return budget_try_steps(work / STATES_IN_ONE) && matches;
}

size_t budget_steps_of(size_t bytes)
{
    return 1 + bytes / STEP_BYTES;
}

int budget_rendered(size_t bytes, struct err *err)
{
    size_t before = atomic_fetch_add_explicit(&spent.rendered, bytes, memory_order_relaxed);
    if (bytes > LIMIT_RUN_RENDERED_BYTES || before > LIMIT_RUN_RENDERED_BYTES - bytes)
        return err_set(err, TG_USAGE, "limit", "more than %zu MiB would be rendered in one run",
                       LIMIT_RUN_RENDERED_BYTES / LIMIT_MIB);
    return budget_check(err);
}

int budget_start(const char *memory, struct err *err)
{
    char *end = NULL;
    spent.steps = spent.rendered = 0;
    account_start(LIMIT_RUN_MEMORY_BYTES);
    if (!memory || !*memory)
        return 0;
    errno = 0;
    unsigned long mib = strspn(memory, "0123456789") ? strtoul(memory, &end, 10) : 0;
    if (!end || *end || errno || mib < MEMORY_MIB_MIN || mib > MEMORY_MIB_MAX)
        return err_set(err, TG_USAGE, "usage", "TMPLGEN_MEMORY is no number of MiB from %lu to %lu",
                       MEMORY_MIB_MIN, MEMORY_MIB_MAX);
    account_start(mib * LIMIT_MIB);
    return 0;
}

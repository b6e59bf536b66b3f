/* Counts the memory that a run uses for foreign input. */
#include "base/account.h"

#include "base/limits.h"

#include <stdatomic.h>
#include <stdlib.h>

/* May be exceeded by this much between two checks. */
#define SLACK_BYTES (64 * LIMIT_MIB)

static atomic_size_t taken;
static atomic_bool spent;
static size_t limit = LIMIT_RUN_MEMORY_BYTES;
static void (*at_end)(void);
static _Thread_local enum account current;

enum account account_enter(enum account account)
{
    enum account before = current;
    current = account;
    return before;
}

void account_leave(const enum account *before)
{
    current = *before;
}

enum account account_current(void)
{
    return current;
}

/* Nothing can be undone from here: reports the error and ends the run. */
static _Noreturn void end_run(void)
{
    current = ACCOUNT_OWN;
    if (at_end)
        at_end();
    abort();
}

size_t account_take(size_t bytes)
{
    if (current == ACCOUNT_OWN)
        return 0;
    size_t before = atomic_fetch_add_explicit(&taken, bytes, memory_order_relaxed);
    size_t most = limit + SLACK_BYTES;
    if (bytes > most || before > most - bytes)
        end_run();
    if (before + bytes > limit)
        atomic_store_explicit(&spent, true, memory_order_relaxed);
    return bytes;
}

void account_give(size_t counted)
{
    if (counted)
        atomic_fetch_sub_explicit(&taken, counted, memory_order_relaxed);
}

bool account_is_spent(void)
{
    return atomic_load_explicit(&spent, memory_order_relaxed);
}

bool account_has_room(size_t bytes)
{
    size_t now = atomic_load_explicit(&taken, memory_order_relaxed);
    return now <= limit && bytes <= limit - now;
}

size_t account_limit(void)
{
    return limit;
}

void account_start(size_t bytes)
{
    limit = bytes;
    atomic_store(&spent, false);
}

void account_at_end(void (*end)(void))
{
    at_end = end;
}

/*
 * The memory that a run takes on behalf of what others wrote: catalogs, children's records,
 * answers, servers. Arenas, buffers and libraries count themselves here; base/budget.h makes errors
 * of it. One process, one account; threads share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * On whose behalf memory is taken, for this thread. It is foreign, and counts, unless a caller says
 * otherwise: a user's own repository may be as large as git allows. Entry points that read what
 * others wrote set it to foreign again.
 */
enum account { ACCOUNT_FOREIGN, ACCOUNT_OWN };

/* Until the end of the scope. */
#define ACCOUNT_SCOPE(whose)                                                                       \
    __attribute__((unused)) __attribute__((cleanup(account_leave))) enum account account_before_ = \
        account_enter(whose)
enum account account_enter(enum account account);
void account_leave(const enum account *before);
enum account account_current(void);

/*
 * Counts `bytes` where they are foreign; returns what it counted, to be given back in the end. Ends
 * the run (account_at_end) where even what lies between two checks is used up: a loop over
 * foreign input asks budget_check.
 */
size_t account_take(size_t bytes);
void account_give(size_t counted);

/*
 * Whether more was taken than the run may have, at any time: what was given back since may have
 * been read in part only, and must not count as an answer.
 */
bool account_is_spent(void);
/* Whether so many bytes more would be too much. */
bool account_has_room(size_t bytes);

/* In bytes. */
size_t account_limit(void);
/* Begins a run that may take so many bytes: nothing was ever too much. */
void account_start(size_t bytes);

/*
 * What ends the run where no error can be returned: tells why, and does not come back. Memory that
 * it takes is not counted. Without one the process aborts, which is what fuzzers want: a check is
 * missing.
 */
void account_at_end(void (*end)(void));

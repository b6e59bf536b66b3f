/*
 * Counts the memory that a run uses for foreign input: catalogs, children's records, answers,
 * servers. Arenas, buffers and libraries report their allocations here; base/budget.h turns an
 * overrun into an error. A process has one account; its threads share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Whose memory the current thread allocates. The default is ACCOUNT_FOREIGN, which counts.
 * ACCOUNT_OWN does not: a user's own repository may be as large as git allows. Entry points that
 * read foreign input switch back to ACCOUNT_FOREIGN.
 */
enum account { ACCOUNT_FOREIGN, ACCOUNT_OWN };

/* Sets the account until the scope ends. */
#define ACCOUNT_SCOPE(whose)                                                                       \
    __attribute__((unused)) __attribute__((cleanup(account_leave))) enum account account_before_ = \
        account_enter(whose)
enum account account_enter(enum account account);
void account_leave(const enum account *before);
enum account account_current(void);

/*
 * Counts `bytes` if the account is foreign. Returns the number counted, which the caller later
 * passes to account_give. Ends the run (account_at_end) if an allocation exceeds even the slack
 * between two checks; a loop over foreign input therefore calls budget_check.
 */
size_t account_take(size_t bytes);
void account_give(size_t counted);

/*
 * True if the run has ever exceeded its limit. Freeing memory does not reset this: the input may
 * have been read only in part, and must not count as an answer.
 */
bool account_is_spent(void);
/* True if `bytes` more fit into the limit. */
bool account_has_room(size_t bytes);

/* The limit, in bytes. */
size_t account_limit(void);
/* Begins a run with a limit of `bytes`, and forgets any overrun. */
void account_start(size_t bytes);

/*
 * Sets the function that ends the run where no error can be returned. It reports the reason and
 * does not return; memory that it allocates is not counted. Without one the process aborts, which
 * is what fuzzers want: a check is missing.
 */
void account_at_end(void (*end)(void));

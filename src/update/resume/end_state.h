/* How an update ends: committed, or stopped for a person. One row for each kind of journal. */
#pragma once

#include "apply/journal.h"

#include <stdbool.h>

/* Words for `result` (docs/json.md). */
#define RESULT_UPDATED "updated"
#define RESULT_UP_TO_DATE "up-to-date"
#define RESULT_AVAILABLE "available"
#define RESULT_CONFLICTS "conflicts"
#define RESULT_STAGED "staged"
#define RESULT_ABORTED "aborted" /* only of --abort */

struct end_state {
    const char *result;
    int exit;
    bool commits;
    const char *waits, *hint; /* for a stop: told to the next command; else NULL */
};

const struct end_state *end_state_of(enum journal_kind kind);

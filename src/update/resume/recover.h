/*
 * Brings an unfinished update to an end: after an interruption, a conflict, a staged result. One
 * table says what becomes of each state, by what the user wants now.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct child;
struct data;

struct recovery {
    bool done;             /* an interrupted run is finished: that is all for now */
    struct data *document; /* of that run */
    const char *note;      /* for the user, or NULL */
};

/*
 * Before an update, or before a look at the child (`apply` is NULL, and nothing changes). Returns
 * the exit code of the run that it has finished; 0 where the way is free; -1 where it is not.
 */
TG_CHECKED int recover_first(struct recovery *out, struct child *child, struct apply *apply,
                             struct err *err);

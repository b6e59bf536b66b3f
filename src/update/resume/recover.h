/*
 * Ends an unfinished update: after an interruption, a conflict, a staged result. One table has a
 * step for each state and each wish of the user.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct child;
struct data;
struct repo;
struct unfinished;

struct recovery {
    bool done;             /* it finished an interrupted run: nothing else is due now */
    struct data *document; /* the document of that run */
    const char *note;      /* for the user, or NULL */
};

/*
 * Runs before an update, or before a look at the child (`apply` is NULL, and nothing changes).
 * Returns the exit code of the run that it has finished; 0 where the way is free; -1 where not.
 */
TG_CHECKED int recover_first(struct recovery *out, struct child *child, struct apply *apply,
                             struct err *err);

/*
 * Sets the folder, from the repository's top, of another project whose update it is; NULL: of this
 * one, or there is none.
 */
TG_CHECKED int recover_other(const char **out, const struct repo *repo,
                             const struct unfinished *unfinished, struct err *err);

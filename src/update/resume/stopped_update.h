/* An update that stopped for a person: in conflict, or staged. */
#ifndef TMPLGEN_STOPPED_UPDATE_H
#define TMPLGEN_STOPPED_UPDATE_H

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct child;
struct identity;
struct journal;

struct stopped_update {
    const struct child *child;
    const struct journal *journal; /* of what stopped */
};

/*
 * Paths that keep it from being committed, in words: those in conflict, else resolved ones that
 * still hold the markers; "" where there is none. After child_read.
 */
TG_CHECKED int stopped_update_find_unresolved(const char **list, const struct stopped_update *stop,
                                              struct err *err);
/* Makes the commit of what is staged, as its strategy has it. After child_read. */
TG_CHECKED int stopped_update_conclude(struct oid *commit, struct identity *who,
                                       const struct stopped_update *stop, struct err *err);

/*
 * Its user has ended it by git's own means: taken, or given up? HEAD, or else the tip of the
 * journal's branch, where that commit is not the one before the update and holds what the update
 * staged: a record of the same inputs and render, or the restored file. `found` is false where
 * neither does.
 */
TG_CHECKED int stopped_update_find_commit(struct oid *commit, bool *found,
                                          const struct stopped_update *stop, struct err *err);

#endif

/* A stopped update that its user has ended by git's own means: taken, or given up? */
#ifndef TMPLGEN_UPDATE_STALE_H
#define TMPLGEN_UPDATE_STALE_H

#include "base/err.h"
#include "git/leaf.h"

#include <stdbool.h>

struct session;

/*
 * HEAD, or else the tip of the branch that the session's journal is of, where that commit is not
 * the one before the update and holds what the update staged: a record of the same inputs and
 * render, or the restored file. `found` is false where neither does.
 */
TG_CHECKED int stale_find_commit(struct oid *commit, bool *found, const struct session *session,
                                 struct err *err);

#endif

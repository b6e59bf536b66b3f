/* An update that stopped for the user: in conflict, or staged. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct child;
struct data;
struct journal;
struct oid;

/*
 * Commits the staged result as the update's strategy does; a rebase goes on. Where paths are
 * unresolved, or resolved ones still have the markers, the document and the exit code are those of
 * conflicts.
 */
TG_CHECKED int stopped_update_take(struct data **document, struct child *child, struct apply *apply,
                                   const struct journal *stopped, struct err *err);

/*
 * Finds the commit by which the user ended the update without tmplgen: HEAD, or else the tip of the
 * journal's branch. It is not the one before the update, and it has the update's staged content: a
 * record of the same inputs and render, or the restored file.
 */
TG_CHECKED int stopped_update_find_commit(struct oid *commit, bool *found,
                                          const struct child *child, const struct journal *stopped,
                                          struct err *err);

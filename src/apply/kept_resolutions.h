/* What somebody made of a conflict, kept so that the same one is offered resolved the next time. */
#ifndef TMPLGEN_KEPT_RESOLUTIONS_H
#define TMPLGEN_KEPT_RESOLUTIONS_H

#include "base/err.h"
#include "git/path_change.h"

#include <stdbool.h>

struct repo;
struct store;

/*
 * They lie in git's folder, below tmplgen/resolutions, a file each, for all work trees. Two
 * conflicts are the same where the path, all three contents and modes are. Only what a file holds,
 * or that there is none, is kept; and the newest RESOLUTIONS_MAX.
 */
enum { RESOLUTIONS_MAX = 1000 };

struct conflict {
    const char *path;
    const struct tree_entry *stages; /* STAGES of them */
};

/* A help, not a promise: what cannot be kept is not, and no failure. */
void kept_resolution_store(const struct repo *repo, const struct conflict *conflict,
                           const struct tree_entry *resolved);

/* `*found`, and what it is: put into the store. One that is damaged or cannot be read is none. */
TG_CHECKED int kept_resolution_find(struct tree_entry *out, bool *found, const struct repo *repo,
                                    const struct conflict *conflict, struct err *err);

#endif

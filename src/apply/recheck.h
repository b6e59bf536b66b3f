/* How a repository stands to a journal: as before the run, as after it, or has somebody been at it?
 */
#ifndef TMPLGEN_RECHECK_H
#define TMPLGEN_RECHECK_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal_before;
struct oid;
struct journal;
struct tree_entry;
struct repo;

/* In words that go on from "an update was interrupted, and ...": NULL where nothing happened. */
struct recheck {
    const char *moved;  /* HEAD or the branch is neither as before nor as after */
    const char *staged; /* in the index, or the objects are gone: no way forward either */
    bool done;          /* the branch has the commit, the index nothing from before: it is over */
};

/* Of a stopped sequence: HEAD is detached at what was replayed, or at the user's commits on it. */
TG_CHECKED int recheck_went_on(bool *out, const struct repo *repo, const struct journal *j,
                               struct err *err);

/* With the locks held. */
TG_CHECKED int recheck_find(struct recheck *out, const struct apply *a, const struct journal *j,
                            struct err *err);

/* A first run, with the locks held: all is still what the plan was made from, else exit 3. */
TG_CHECKED int recheck_check(const struct apply *a, const struct journal *j, struct err *err);

/*
 * For each change, in the arena: HEAD has by now what the run brought there, by somebody's commit.
 * It is no longer the run's to take back.
 */
TG_CHECKED int recheck_settled(const bool **out, const struct apply *a, const struct journal *j,
                               struct err *err);

/* True where something that the run staged is staged, and not committed. */
TG_CHECKED int recheck_is_staged(bool *out, const struct repo *repo, const struct journal *j,
                                 struct err *err);

/* True where git's state is still the one that a stopped run left. */
TG_CHECKED int recheck_waits(bool *out, const struct repo *repo, const struct journal *j,
                             struct err *err);

/* The index file is, to the byte, the one before the run. */
TG_CHECKED int recheck_index_is_old(bool *out, const struct apply *a, const struct journal *j,
                                    struct err *err);
/* What HEAD and the index had for each path of the run before it, in the arena. */
TG_CHECKED int recheck_old_entries(struct tree_entry **out, const struct apply *a,
                                   const struct journal *j, struct err *err);

/* What a stop has left in git's folder, as its user has it by now; `tree` is the index. */
TG_CHECKED int recheck_before(struct journal_before *out, const struct repo *repo,
                              const struct journal *stopped, const struct oid *tree,
                              struct err *err);

#endif

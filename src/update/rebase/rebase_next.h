/* A rebase goes on from a stop: from the user's commit to the next stop, or to the end. */
#ifndef TMPLGEN_REBASE_NEXT_H
#define TMPLGEN_REBASE_NEXT_H

#include "apply/journal.h"
#include "base/err.h"

struct arena;
struct child;
struct plan;
struct replay_result;
struct repo;

/* As `resume` in strategy.h. */
TG_CHECKED int rebase_next(struct journal *next, struct replay_result *out,
                           const struct journal *stopped, struct child *child,
                           const struct oid *made, struct err *err);

/*
 * Begins the journal of a run that leads from a stop to the branch; `from` is the tree that the
 * index has.
 */
TG_CHECKED int rebase_journal(struct journal *out, enum journal_kind kind, const struct repo *repo,
                              const struct journal *stopped, const struct oid *from,
                              struct err *err);
/* Adds the paths of the plan's conflicts. */
void rebase_add_conflicts(struct words *out, struct arena *arena, const struct plan *plan);
/* Fills in the journal of a replay that stops, and of one that is at its end. */
TG_CHECKED int rebase_fill_stop(struct journal *j, const struct replay_result *replayed,
                                struct arena *arena, struct err *err);
void rebase_fill_end(struct journal *j, const struct replay_result *replayed,
                     const struct repo *repo);

#endif

/* A rebase that stopped: its kept state, and how it goes on or back. */
#pragma once

#include "apply/journal.h"
#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct apply;
struct arena;
struct child;
struct commit_range;
struct data;
struct journal;
struct oid;
struct plan;
struct plan_input;
struct replay;
struct replay_input;
struct replay_result;
struct repo;

/* The result of the strategy `pick`, which a rebase without conflicts reaches, too. */
struct pick_end {
    struct oid tree;
    struct words conflicts; /* paths where pick, or a stop, conflicted, and the two may differ */
};

struct data *rebase_context(const struct replay *replay, const struct pick_end *pick);
TG_CHECKED int rebase_context_store(struct span *out, struct arena *arena,
                                    const struct data *context, struct err *err);
/* The document of the whole update; NULL where there is none. */
void rebase_context_put_document(struct arena *arena, struct data *context, struct data *document);
struct data *rebase_context_document(const struct data *context);

/*
 * Fills in the record and the base commit of the input, labels and `yours` of the plan input, the
 * declared renames of the range's commits, and pick's result. -1 where the context is damaged.
 */
TG_CHECKED int rebase_context_read(struct replay_input *in, struct plan_input *plan,
                                   struct commit_range *range, struct pick_end *pick,
                                   const struct data *context);
/* Fills in the lineages of a replay that has begun. */
void rebase_context_read_lineages(struct replay *replay, const struct data *context);

/* Goes on from a stop: from the user's commit to the next stop, or to the end. */

/* As `resume` in strategy.h. */
TG_CHECKED int rebase_next(struct journal *next, struct replay_result *out,
                           const struct journal *stopped, struct child *child,
                           const struct oid *made, struct err *err);

/* Begins the journal of a run from a stop to the branch; `from` is the index's tree. */
TG_CHECKED int rebase_journal(struct journal *out, enum journal_kind kind, const struct repo *repo,
                              const struct journal *stopped, const struct oid *from,
                              struct err *err);
/* Adds the paths of the plan's conflicts to `out`. */
void rebase_add_conflicts(struct words *out, struct arena *arena, const struct plan *plan);
/* Fill in the journal of a replay that stops, and of one that has ended. */
TG_CHECKED int rebase_fill_stop(struct journal *j, const struct replay_result *replayed,
                                struct arena *arena, struct err *err);
void rebase_fill_end(struct journal *j, const struct replay_result *replayed,
                     const struct repo *repo);

/* Ends or resumes a stopped rebase, forward or back, wherever HEAD is. */

/* Refuses because HEAD is not where the rebase waited; the hint has the ways out. Returns -1. */
int rebase_resume_refuse(const struct repo *repo, const struct journal *stopped, struct err *err);

/*
 * Goes on to the next stop, or to the end; returns the exit code. `made` as in strategy.h. Needs
 * child_read first.
 */
TG_CHECKED int rebase_resume_go_on(struct data **document, struct child *child, struct apply *apply,
                                   const struct journal *stopped, const struct oid *made,
                                   struct err *err);

/*
 * Goes back to the branch from the tree `from`, which the index has, and which is committed: the
 * user has committed the stop's result, or has given the stop up. Needs child_read first. Returns
 * the exit code: TG_REFUSED where the branch has moved, and HEAD is at its old commit.
 */
TG_CHECKED int rebase_resume_return(struct data **document, struct child *child,
                                    struct apply *apply, const struct journal *stopped,
                                    const struct oid *from, struct err *err);
/*
 * The same, where the user went on from the stop with changes beyond the files in conflict. -1
 * where it failed, without an error: then the caller undoes the journal, which needs no space; what
 * the user committed then stays, staged.
 */
int rebase_resume_try_return(struct data **document, struct child *child, struct apply *apply,
                             const struct journal *stopped, const struct oid *committed);

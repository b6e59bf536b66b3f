/* The steps of a run: preparation, git's side, the work tree. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal;
struct journal_files;
struct journal_refs;
struct journal_tip;
struct oid;
struct repo;
struct words;
struct work;

/* Opens and fills `work`. Fills in the journal's `files`, and its `run` except the level. */
TG_CHECKED int prepare_all(struct work *work, const struct apply *a, struct journal *j,
                           struct err *err);

/* Git's side of an update: locks, the index, refs, HEAD, and the state of a conflict. */

TG_CHECKED int git_state_lock(const struct apply *a, const struct journal_tip *tip,
                              struct err *err);
TG_CHECKED int git_state_unlock(const struct apply *a, const struct journal_tip *tip,
                                struct err *err);
TG_CHECKED int git_state_forward(const struct repo *repo, const struct work *work,
                                 const struct journal *j, struct err *err);
/* With `moved` the user went on from there: the index and HEAD stay as they are. */
TG_CHECKED int git_state_backward(const struct repo *repo, const struct work *work,
                                  const struct journal *j, bool moved, struct err *err);

/* Removes the refs that the run made. */
TG_CHECKED int git_state_remove_refs(const struct repo *repo, const struct journal_refs *refs,
                                     struct err *err);

/* The work tree during an update: files are exchanged, and no file of the user is overwritten. */

/*
 * `kept` gets the user's files that stay as they are or are put aside, each once.
 *
 * With `strict` a file that is neither old nor new ends the run (exit 3); else it stays.
 */
TG_CHECKED int worktree_forward(struct words *kept, const struct repo *repo,
                                const struct work *work, const struct journal_files *files,
                                bool strict, struct err *err);
/* Leaves the `settled` changes alone (a flag for each change; NULL: none is settled). */
TG_CHECKED int worktree_backward(struct words *kept, const struct repo *repo,
                                 const struct work *work, const struct journal_files *files,
                                 const bool *settled, struct err *err);
/*
 * Before an abort: puts aside the user's work at paths of the run. Makes no copy of content that
 * the tree `known` (zero: none) has.
 */
TG_CHECKED int worktree_put_aside(struct words *kept, const struct apply *a,
                                  const struct work *work, const struct journal_files *files,
                                  const struct oid *known, struct err *err);
/* Empties the stage. */
TG_CHECKED int worktree_discard(struct words *kept, const struct work *work,
                                const struct journal_files *files, struct err *err);
/* Removes folders that the run emptied, as git does it. */
void worktree_remove_emptied(const struct repo *repo, const struct journal_files *files);

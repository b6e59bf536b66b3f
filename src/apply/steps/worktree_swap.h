/* The work tree during an update: files are exchanged, and nothing of the user's is overwritten. */
#ifndef TMPLGEN_WORKTREE_SWAP_H
#define TMPLGEN_WORKTREE_SWAP_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal_files;
struct oid;
struct repo;
struct work;
struct words;

/*
 * `kept` gets the user's files that stay as they are, or are put aside, each once.
 *
 * With `strict` a file that is neither old nor new ends the run (exit 3); else it stays.
 */
TG_CHECKED int worktree_forward(struct words *kept, const struct repo *repo,
                                const struct work *work, const struct journal_files *files,
                                bool strict, struct err *err);
/* Leaves changes alone that are `settled` (one for each change; NULL: none is). */
TG_CHECKED int worktree_backward(struct words *kept, const struct repo *repo,
                                 const struct work *work, const struct journal_files *files,
                                 const bool *settled, struct err *err);
/*
 * Before an abort: files that the user worked on at paths of the run. Content that the tree
 * `known` (zero: none) has needs no copy.
 */
TG_CHECKED int worktree_put_aside(struct words *kept, const struct apply *a,
                                  const struct work *work, const struct journal_files *files,
                                  const struct oid *known, struct err *err);
/* Empties the stage. */
TG_CHECKED int worktree_discard(struct words *kept, const struct work *work,
                                const struct journal_files *files, struct err *err);
/* Removes folders that the run emptied, as git does it. */
void worktree_remove_emptied(const struct repo *repo, const struct journal_files *files);

#endif

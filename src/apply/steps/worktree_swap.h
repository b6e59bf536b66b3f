/* The work tree during an update: every file is exchanged, nothing of the user's is overwritten. */
#ifndef TMPLGEN_WORKTREE_SWAP_H
#define TMPLGEN_WORKTREE_SWAP_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal;

/* `strict`: what is neither old nor new ends it (exit 3); else it is kept and listed. */
TG_CHECKED int worktree_forward(struct apply *a, const struct journal *j, bool strict,
                                struct err *err);
/* `settled`: per change, it is left alone; or NULL. */
TG_CHECKED int worktree_backward(struct apply *a, const struct journal *j, const bool *settled,
                                 struct err *err);
/* Before an abort: where the user worked on at paths of the run. */
TG_CHECKED int worktree_put_aside(struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int worktree_discard(struct apply *a, const struct journal *j, struct err *err);
void worktree_remove_emptied(const struct apply *a, const struct journal *j);

#endif

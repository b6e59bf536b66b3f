/* Git's side of an update: locks, the index, refs, HEAD, and the state of a conflict. */
#ifndef TMPLGEN_GIT_STATE_H
#define TMPLGEN_GIT_STATE_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal;
struct journal_refs;
struct journal_tip;
struct repo;
struct work;

TG_CHECKED int git_state_lock(const struct apply *a, const struct journal_tip *tip,
                              struct err *err);
TG_CHECKED int git_state_unlock(const struct apply *a, const struct journal_tip *tip,
                                struct err *err);
TG_CHECKED int git_state_forward(const struct repo *repo, const struct work *work,
                                 const struct journal *j, struct err *err);
/* `moved`: the user went on from there; then the index and HEAD stay as they are. */
TG_CHECKED int git_state_backward(const struct repo *repo, const struct work *work,
                                  const struct journal *j, bool moved, struct err *err);

/* Removes the refs that the run made. */
TG_CHECKED int git_state_remove_refs(const struct repo *repo, const struct journal_refs *refs,
                                     struct err *err);

#endif

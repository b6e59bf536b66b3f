/* Git's side of an update: locks, the index, refs, HEAD, and the state of a conflict. */
#ifndef TMPLGEN_APPLY_STATE_H
#define TMPLGEN_APPLY_STATE_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal;
struct repo;

TG_CHECKED int state_lock(const struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int state_unlock(const struct apply *a, const struct journal *j, struct err *err);
/* With the locks held: all is still what the plan was made from. */
TG_CHECKED int state_check(const struct apply *a, const struct journal *j, struct err *err);
/* True where the index, which comes last, is the new one. */
TG_CHECKED int state_is_done(bool *out, const struct apply *a, const struct journal *j,
                             struct err *err);
TG_CHECKED int state_forward(const struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int state_backward(const struct apply *a, const struct journal *j, struct err *err);
/* True where git's state is still the one that a stopped run left. */
TG_CHECKED int state_waits(bool *out, const struct repo *repo, const struct journal *j,
                           struct err *err);

#endif

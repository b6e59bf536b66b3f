/* Git's side of an update: locks, the index, refs, HEAD, and the state of a conflict. */
#ifndef TMPLGEN_GIT_STATE_H
#define TMPLGEN_GIT_STATE_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct journal;

TG_CHECKED int git_state_lock(const struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int git_state_unlock(const struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int git_state_forward(const struct apply *a, const struct journal *j, struct err *err);
/* `moved`: somebody went on from there meanwhile; then the index and HEAD are theirs. */
TG_CHECKED int git_state_backward(const struct apply *a, const struct journal *j, bool moved,
                                  struct err *err);

/* The refs that the run made. */
TG_CHECKED int git_state_remove_refs(const struct apply *a, const struct journal *j,
                                     struct err *err);

#endif

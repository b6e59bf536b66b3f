/* An update of long ago, done again to the render alone. */
#ifndef TMPLGEN_UPDATE_BASE_REPLAY_H
#define TMPLGEN_UPDATE_BASE_REPLAY_H

#include "base/err.h"
#include "git/leaf.h"

#include <stdbool.h>

struct repo;

/*
 * What the update from the child's tree `before` to `after` did, done to `base`, which `before` was
 * made from: `*out`, put into the store. Not `*clean` where the same lines were the child's, too.
 * Whether it is the render that the update brought, its id has to tell.
 */
TG_CHECKED int base_replay(struct oid *out, bool *clean, const struct repo *repo,
                           const struct oid *base, const struct oid *before,
                           const struct oid *after, struct err *err);

#endif

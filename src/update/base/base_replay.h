/* An update of long ago, done again to the render alone. */
#ifndef TMPLGEN_BASE_REPLAY_H
#define TMPLGEN_BASE_REPLAY_H

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct repo;

struct replayed {
    bool clean;      /* no lines of the update were the child's, too */
    struct oid tree; /* where clean: put into the store */
    size_t files;    /* that were looked at: what it cost */
};

/*
 * What the update from the child's tree `before` to `after` did, done to `base`, which `before` was
 * made from. Whether it is the render that the update brought, its id has to tell.
 */
TG_CHECKED int base_replay(struct replayed *out, const struct repo *repo, const struct oid *base,
                           const struct oid *before, const struct oid *after, struct err *err);

#endif

/* What a child's own history proves of the renders that it was made from. */
#ifndef TMPLGEN_BASE_HISTORY_H
#define TMPLGEN_BASE_HISTORY_H

#include "base/err.h"
#include "update/base/base_tree.h"

#include <stddef.h>

struct arena;
struct repo;

/* Renders that are proven: each has the id that a record of the history names, or is `wanted`. */
struct base_history {
    struct base_tree *trees;
    size_t count;
};

/*
 * Looks through all commits that HEAD reaches, until one is, without its record, the tree `wanted`.
 * Where none is, the updates among them are replayed, from the oldest on: what such a commit did to
 * its parent is done to the render that the parent was made from. A replay whose id is the one that
 * the commit's record has cannot be wrong.
 */
TG_CHECKED int base_history_read(struct base_history *out, struct arena *arena,
                                 const struct repo *repo, const struct oid *wanted,
                                 struct err *err);
/* The one with that id, or NULL. */
const struct base_tree *base_history_find(const struct base_history *history,
                                          const struct oid *tree);

#endif

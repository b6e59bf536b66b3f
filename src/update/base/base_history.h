/* Renders that the child's own history proves. */
#ifndef TMPLGEN_BASE_HISTORY_H
#define TMPLGEN_BASE_HISTORY_H

#include "base/err.h"
#include "update/base/base_tree.h"

#include <stddef.h>

struct arena;
struct repo;

/* Proven renders: a record of the history names the id of each, or it is `wanted`. */
struct base_history {
    struct base_tree *trees;
    size_t count;
};

/*
 * Looks through all commits that HEAD reaches, until the tree of one, without its record, is
 * `wanted`. Where none is, it replays the updates among them, from the oldest on: it does to the
 * render of the commit's parent what the commit did to the parent. A replay whose id the commit's
 * record names is right.
 */
TG_CHECKED int base_history_read(struct base_history *out, struct arena *arena,
                                 const struct repo *repo, const struct oid *wanted,
                                 struct err *err);
/* The one with that id, or NULL. */
const struct base_tree *base_history_find(const struct base_history *history,
                                          const struct oid *tree);

#endif

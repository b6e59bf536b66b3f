/* Trees of a child's repository as renders, and what its history proves of them. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct plan_list;
struct repo;

/* A tree that is a render, without its record. */
struct base_tree {
    struct oid tree; /* its id without the record */
    struct oid held; /* the same in the store, perhaps with the record */
};

/*
 * The tree of the child's folder in a commit, or, with `whole`, of all the commit. `*found` is
 * false where there is no such folder, or where its objects are not here.
 */
TG_CHECKED int base_tree_at(struct base_tree *out, bool *found, const struct repo *repo,
                            const struct oid *commit, bool whole, struct err *err);
/* Its files, sorted by path, without links and submodules, which no template has. */
TG_CHECKED int base_tree_files(struct plan_list *out, struct arena *arena, const struct repo *repo,
                               const struct oid *tree, struct err *err);

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

/* Trees of a child's repository as renders, and the proof that its history gives for them. */
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
    struct oid held; /* the same tree in the store, perhaps with the record */
};

/*
 * Finds the tree of the child's folder in a commit, or, with `whole`, of the whole commit. `*found`
 * is false where the folder is missing, or its objects are.
 */
TG_CHECKED int base_tree_at(struct base_tree *out, bool *found, const struct repo *repo,
                            const struct oid *commit, bool whole, struct err *err);
/* Lists its files by path, without links and submodules, which no template has. */
TG_CHECKED int base_tree_files(struct plan_list *out, struct arena *arena, const struct repo *repo,
                               const struct oid *tree, struct err *err);

/* Proven renders: the id of each is named by a record of the history, or is `wanted`. */
struct base_history {
    struct base_tree *trees;
    size_t count;
};

/*
 * Searches all commits that HEAD reaches, until the tree of one, without its record, is `wanted`.
 * Where none is, it replays the updates among them, from the oldest on: it applies the commit's
 * changes to the render of its parent. A replay is right where the commit's record names its id.
 */
TG_CHECKED int base_history_read(struct base_history *out, struct arena *arena,
                                 const struct repo *repo, const struct oid *wanted,
                                 struct err *err);
/* Finds the one with that id; NULL: there is none. */
const struct base_tree *base_history_find(const struct base_history *history,
                                          const struct oid *tree);

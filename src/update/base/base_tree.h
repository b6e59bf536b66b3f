/* Trees of a child's repository as renders: without the record. */
#ifndef TMPLGEN_BASE_TREE_H
#define TMPLGEN_BASE_TREE_H

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>

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
/* The id of a tree without its record. */
TG_CHECKED int base_tree_bare(struct oid *out, const struct repo *repo, const struct oid *tree,
                              struct err *err);
/* Its files, sorted by path, without links and submodules, which no template has. */
TG_CHECKED int base_tree_files(struct plan_list *out, struct arena *arena, const struct repo *repo,
                               const struct oid *tree, struct err *err);

#endif

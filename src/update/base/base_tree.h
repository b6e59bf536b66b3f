/* Commits and trees of a child's repository as renders: without the record. */
#ifndef TMPLGEN_BASE_TREE_H
#define TMPLGEN_BASE_TREE_H

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct arena;
struct plan_list;
struct repo;

/* A tree that is, without its record, what a template rendered. */
struct base_tree {
    struct oid tree;   /* its id without the record */
    struct oid held;   /* the same, perhaps with the record: a tree of the store */
    struct oid commit; /* that shows it */
};

/*
 * What lies in the child's folder in a commit, or, with `whole`, all of it. `*found` is false where
 * there is no folder, or where its objects are not here.
 */
TG_CHECKED int base_tree_at(struct base_tree *out, bool *found, const struct repo *repo,
                            const struct oid *commit, bool whole, struct err *err);
/* The id of a tree without its record. */
TG_CHECKED int base_tree_bare(struct oid *out, const struct repo *repo, const struct oid *tree,
                              struct err *err);
/*
 * Its files, sorted by path. A template has neither links nor submodules: those are the child's.
 */
TG_CHECKED int base_tree_files(struct plan_list *out, struct arena *arena, const struct repo *repo,
                               const struct oid *tree, struct err *err);

#endif

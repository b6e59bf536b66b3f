/* The base commit of a child: what its record renders to, kept under a ref of its own. */
#ifndef TMPLGEN_BASE_REF_H
#define TMPLGEN_BASE_REF_H

#include "base/err.h"
#include "git/tree_entry.h"

struct apply;
struct arena;
struct git_repository;
struct repo;
struct store;

#define BASE_REF_PREFIX "refs/tmplgen/base/"

/* The ref of a render tree, in full. */
const char *base_ref_name(struct arena *arena, const struct oid *tree);
/* Points it at the base commit. */
TG_CHECKED int base_ref_write(struct git_repository *repository, const struct oid *tree,
                              const struct oid *commit, struct err *err);

/*
 * The base commit of a render tree: the same on every machine. `folder` ("" or "services/a/"): the
 * tree lies there.
 */
TG_CHECKED int base_commit_put(struct oid *out, struct store *store, const struct oid *tree,
                               const char *folder, struct err *err);

/*
 * Removes every refs/tmplgen/base/TREE-ID that no record of a local branch, of any child in the
 * repository, names; `keep` stays. What cannot be read keeps everything. Never fails: an old ref
 * harms nobody.
 */
void base_ref_prune(const struct repo *repo, const struct apply *apply, struct oid keep);

#endif

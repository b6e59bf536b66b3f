/* The base commit of a child: what its record renders to, kept under a ref of its own. */
#ifndef TMPLGEN_CHILD_BASE_REF_H
#define TMPLGEN_CHILD_BASE_REF_H

#include "base/err.h"

struct arena;
struct git_repository;
struct oid;

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

#endif

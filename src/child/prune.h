/* Base commits that no record names any more. */
#ifndef TMPLGEN_CHILD_PRUNE_H
#define TMPLGEN_CHILD_PRUNE_H

#include "git/leaf.h"

struct apply;
struct repo;

/*
 * Removes every refs/tmplgen/base/TREE-ID that no record of a local branch, of any child in the
 * repository, names; `keep` stays. What cannot be read keeps everything. Never fails: an old ref
 * harms nobody.
 */
void prune_base_refs(const struct repo *repo, const struct apply *apply, struct oid keep);

#endif

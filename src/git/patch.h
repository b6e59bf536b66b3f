/* The difference of two trees as a patch, in git's form. */
#ifndef TMPLGEN_GIT_PATCH_H
#define TMPLGEN_GIT_PATCH_H

#include "base/err.h"
#include "base/str.h"
#include "git/leaf.h"

struct arena;
struct repo;

/*
 * Both trees may be new ones of the repository's store; `old` NULL is the empty one. Binary files
 * are only named.
 */
TG_CHECKED int patch_trees(struct span *out, struct arena *arena, const struct repo *repo,
                           const struct oid *old, const struct oid *new, struct err *err);

#endif

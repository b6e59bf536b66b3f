/* The difference of two trees as a patch, in git's form. */
#ifndef TMPLGEN_PATCH_H
#define TMPLGEN_PATCH_H

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct arena;
struct buf;
struct repo;

/*
 * Both trees may be new ones of the repository's store; `old` NULL is the empty one. Binary files
 * are only named.
 */
TG_CHECKED int patch_trees(struct span *out, struct arena *arena, const struct repo *repo,
                           const struct oid *old, const struct oid *new, struct err *err);

/* One side of a file's patch; `bytes.ptr` NULL: there is no such file. */
struct patch_side {
    struct span bytes;
    bool executable;
};
/*
 * One file as such a patch, without a repository. Fails where it does not fit into `out`, which is
 * the same as before then.
 */
TG_CHECKED int patch_file(struct buf *out, const char *path, const struct patch_side *old,
                          const struct patch_side *new, struct err *err);

#endif

/* Differences: of trees and files as patches in git's form, of two texts as hunks. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

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

/* Other lines replace those from `old_at` on, counted from 0; everything else is equal. */
struct hunk {
    size_t old_at, old_count, new_count;
};

typedef void hunk_taker(void *context, const struct hunk *hunk);

/*
 * Calls `take` for each hunk, in order. A missing newline at the end is no change of the last line.
 * -1 where libgit2 fails; git_error_last says why.
 */
TG_CHECKED int patch_hunks(struct arena *arena, struct span old, struct span new, hunk_taker *take,
                           void *context);

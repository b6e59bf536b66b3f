/* Differences: patches in git's form for trees and files, hunks for two texts. */
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
 * Compares two trees, which may be new ones of the repository's store. `old` NULL is the empty
 * tree. Binary files are only named.
 */
TG_CHECKED int patch_trees(struct span *out, struct arena *arena, const struct repo *repo,
                           const struct oid *old, const struct oid *new, struct err *err);

/* One side of a file's patch; `bytes.ptr` is NULL if the file does not exist. */
struct patch_side {
    struct span bytes;
    bool executable;
};
/*
 * Appends a patch for one file, without a repository. Fails, leaving `out` as it was, if the patch
 * does not fit.
 */
TG_CHECKED int patch_file(struct buf *out, const char *path, const struct patch_side *old,
                          const struct patch_side *new, struct err *err);

/* A replacement of lines, from line `old_at` on (counted from 0); all other lines are equal. */
struct hunk {
    size_t old_at, old_count, new_count;
};

typedef void hunk_taker(void *context, const struct hunk *hunk);

/*
 * Calls `take` for each hunk, in order. A missing final newline does not count as a change. Returns
 * -1 if libgit2 fails; git_error_last has the reason.
 */
TG_CHECKED int patch_hunks(struct arena *arena, struct span old, struct span new, hunk_taker *take,
                           void *context);

/* The files of a work tree as objects: line endings, attributes, configuration. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"
#include "git/worktree/convert.h"

#include <stddef.h>

struct buf;
struct repo;
struct tree_edit;
struct worktree_attributes;

/*
 * Attributes of the work tree as it is, and as it will be after `edits` (sorted; paths from the
 * top). Both live in the repository's arena.
 */
struct worktree_attributes *worktree_attributes_now(const struct repo *repo);
struct worktree_attributes *worktree_attributes_after(const struct repo *repo,
                                                      const struct tree_edit *edits, size_t count);
/*
 * The file at `path` on disk as a tree entry; absent if there is no file. `known` is its entry in
 * HEAD. If `bytes` is not NULL, it gets the content as in an object.
 */
TG_CHECKED int worktree_leaf(struct tree_entry *out, struct buf *bytes,
                             struct worktree_attributes *attributes, const char *path,
                             const struct tree_entry *known, struct err *err);
/* The id that the bytes on disk have as an object; `bytes` and `known` as above. */
TG_CHECKED int worktree_hash(struct oid *out, struct buf *bytes,
                             struct worktree_attributes *attributes, const char *path,
                             const struct tree_entry *known, struct span disk, struct err *err);
TG_CHECKED int worktree_convert(enum convert_kind *out, struct worktree_attributes *attributes,
                                const char *path, struct err *err);

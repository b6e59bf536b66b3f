/* Git trees as flat lists of files, and new trees made by editing others. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

#define LEAF_TREE 0040000

struct tree_file {
    const char *path;
    struct tree_entry leaf;
};

/* Sorted bytewise by path, without duplicates. */
struct tree_files {
    const struct tree_file *files;
    size_t count;
};

/* The limit for tree_list where no other one applies. */
#define TREE_ENTRIES ((size_t)1000000)

/*
 * Lists all files below `tree`, including links and submodules, sorted bytewise by path. More than
 * `max` files and folders are an error: a few trees that contain each other expand to billions.
 */
TG_CHECKED int tree_list(struct tree_files *out, struct arena *arena, const struct store *store,
                         const struct oid *tree, size_t max, struct err *err);

/* One entry of a tree or of a folder in it. */
struct tree_visit {
    const char *name;
    struct tree_entry leaf; /* LEAF_TREE: a folder */
};
/* Returns 0 to continue (and to enter a folder), 1 to skip the folder, -1 to stop. */
typedef int tree_visitor(void *context, const struct tree_visit *visit);
TG_CHECKED int tree_visit_all(const struct store *store, const struct oid *tree,
                              tree_visitor *visit, void *context, struct err *err);

/* The file or folder (LEAF_TREE) at `path`; absent if there is none. */
TG_CHECKED int tree_find(struct tree_entry *out, const struct store *store, const struct oid *tree,
                         const char *path, struct err *err);

struct tree_edit {
    const char *path;
    struct tree_entry leaf; /* absent: remove; LEAF_TREE: replace by a folder */
};

/*
 * Applies edits, in any order and each path once, to `tree` (NULL: the empty tree). Drops folders
 * that become empty. New trees go into the store `write`; if that is NULL they are only hashed:
 * `out` is right, but no object is created.
 */
TG_CHECKED int tree_edit(struct oid *out, const struct store *read, struct store *write,
                         const struct oid *tree, const struct tree_edit *edits, size_t count,
                         struct err *err);

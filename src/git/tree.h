/* Git trees as flat lists of files, and trees made from others by edits. */
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

/* Sorted by path, bytewise, each once. */
struct tree_files {
    const struct tree_file *files;
    size_t count;
};

/* Entries that a tree is believed to have whatever else is known of it. */
#define TREE_ENTRIES ((size_t)1000000)

/*
 * All files below `tree`, links and submodules among them, sorted by path, bytewise. More than
 * `max` files and folders are an error: a few objects that name each other make billions.
 */
TG_CHECKED int tree_list(struct tree_files *out, struct arena *arena, const struct store *store,
                         const struct oid *tree, size_t max, struct err *err);

/* One entry of a tree or of a folder in it. */
struct tree_visit {
    const char *name;
    struct tree_entry leaf; /* LEAF_TREE: a folder */
};
/* 0: go on, also into the folder; 1: pass the folder over; -1: stop. */
typedef int tree_visitor(void *context, const struct tree_visit *visit);
TG_CHECKED int tree_visit_all(const struct store *store, const struct oid *tree,
                              tree_visitor *visit, void *context, struct err *err);

/* What lies at `path`: a file, or a folder (LEAF_TREE); absent where there is nothing. */
TG_CHECKED int tree_find(struct tree_entry *out, const struct store *store, const struct oid *tree,
                         const char *path, struct err *err);

struct tree_edit {
    const char *path;
    struct tree_entry leaf; /* absent: removed; LEAF_TREE: a whole folder takes the place */
};

/*
 * `tree` (NULL: the empty one) with edits in any order, each path once. Folders that get empty
 * vanish. New trees are put into the store, or only hashed where it is NULL for writing: then `out`
 * is right and no object is made.
 */
TG_CHECKED int tree_edit(struct oid *out, const struct store *read, struct store *write,
                         const struct oid *tree, const struct tree_edit *edits, size_t count,
                         struct err *err);

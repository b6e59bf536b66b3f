/* The files of base, child and new render; and a plan: an update's effect on each path. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

/* ---------------------------------------------------------------- the input */

/* The three trees. A conflict has them as the index's stages 1, 2 and 3. */
enum side { BASE, CHILD, RENDER, SIDES };

struct plan_file {
    const char *path;
    struct tree_entry entry;
    struct span bytes; /* content, where it is loaded; else `ptr` is NULL and the store has it */
    bool nested;       /* of the child only: it belongs to another child, in a folder of this one */
    /* Of renders only: */
    const char *source; /* template file, for pairing; "" or NULL: none */
    enum file_policy policy;
    enum file_merge merge;
};

/* Sorted by path, bytewise, each once, without the record. */
struct plan_list {
    const struct plan_file *files;
    size_t count;
};

struct plan_input {
    struct plan_list side[SIDES];
    bool base_has_rules;    /* sources and policies of the base are known */
    struct renames renames; /* declared by migrations */
    struct words yours;     /* globs of paths that updates leave alone */
    struct words restore;   /* deleted paths to bring back */
    bool any_case; /* the disk ignores case: no file gets a name that differs by case alone */
    const char *base_label, *render_label; /* "template 1.0.0", "template 1.1.0" */
};

/* The file at `path`, or NULL. */
const struct plan_file *plan_list_find(const struct plan_list *list, const char *path);
/* The same for ascending paths. `*at`, 0 at first, keeps where the last search ended. */
const struct plan_file *plan_list_next(const struct plan_list *list, size_t *at, const char *path);
/* Index of the first file at or behind `path`. */
size_t plan_list_lower_bound(const struct plan_list *list, const char *path);
/* True where a file lies below `folder`, which ends in '/'. */
bool plan_list_has_folder(const struct plan_list *list, const char *folder);
/*
 * Makes the tree of the files. A clone may lack their content: the content in `bytes` is lent to
 * the store, and must live as long as the store.
 */
TG_CHECKED int plan_list_put(struct oid *tree, struct store *store, struct arena *arena,
                             const struct plan_list *list, struct err *err);

/* ---------------------------------------------------------------- the plan */

/* docs/json.md lists their names; `path_state_names` has them. */
enum path_state {
    PATH_UPDATED,      /* only the template changed it */
    PATH_MERGED,       /* both changed it, and it merged */
    PATH_CONFLICT,     /* both changed it, and a person must decide */
    PATH_KEPT_YOURS,   /* the child's own file, left as it is */
    PATH_KEPT_DELETED, /* the child deleted it, and it stays deleted */
    PATH_DELETED,      /* the template dropped it, and the child had not changed it */
    PATH_RENAMED,      /* the template moved it */
    PATH_ADDED,        /* new from the template */
    PATH_ADOPTED,      /* the child already had exactly what the template adds */
    PATH_STATES
};
extern const char *const path_state_names[PATH_STATES];

/* A line of the report. */
struct plan_path {
    const char *path;
    const char *from_path; /* where it was before a rename, or NULL */
    enum path_state state;
    bool has_policy;
    enum file_policy policy;
    const char *note; /* for people, or NULL */
};

/* One path that changes on disk or in the index. */
struct plan_edit {
    const char *path;
    struct tree_entry old;  /* in the child's HEAD */
    struct tree_entry disk; /* on disk afterwards; without a conflict in the tree, too */
    bool conflict;
    bool index_only; /* a link or a submodule, which stays on disk or is there already */
    struct tree_entry stages[SIDES]; /* only with a conflict */
};

/* The files of one triple, and the path of the file afterwards. */
struct plan_pair {
    const struct plan_file *side[SIDES]; /* NULL where it is absent */
    const char *path;                    /* NULL: there is no file */
};

struct plan {
    struct plan_path *paths; /* sorted by path */
    size_t path_count;
    struct plan_edit *edits; /* sorted by path */
    size_t edit_count;
    size_t conflict_count;
    struct plan_pair *pairs; /* all files but the child's own */
    size_t pair_count;
    struct words warnings;
};

void plan_sort_edits(struct plan_edit *edits, size_t count); /* by path */

/* What an update does to each path: base, child and new render in, edits and a report out. */
#ifndef TMPLGEN_PLAN_PLAN_H
#define TMPLGEN_PLAN_PLAN_H

#include "base/err.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "git/leaf.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

/* The three trees. In a conflict they are the index's stages 1, 2 and 3. */
enum side { BASE, CHILD, RENDER, SIDES };

struct plan_file {
    const char *path;
    struct leaf leaf;
    struct span bytes; /* content, where it is at hand; else `ptr` is NULL and the store has it */
    bool nested;       /* of the child only: a child of its own has it, in a folder of this one */
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
    bool base_has_rules; /* sources and policies of the base are known */
    const char *const *rename_old, *const *rename_new; /* declared by migrations */
    size_t rename_count;
    const char *const *yours; /* globs of paths that are left alone */
    size_t yours_count;
    const char *const *restore; /* deleted paths to bring back */
    size_t restore_count;
    const char *base_label, *render_label; /* "template 1.0.0", "template 1.1.0" */
};

/* Names are in `path_state_names`, as JSON.md has them. */
enum path_state {
    PATH_UPDATED,      /* only the template changed it */
    PATH_MERGED,       /* both changed it, and it merged */
    PATH_CONFLICT,     /* both changed it, and a person must decide */
    PATH_KEPT_YOURS,   /* the child's own, left as it is */
    PATH_KEPT_DELETED, /* the child deleted it, and it stays so */
    PATH_DELETED,      /* the template dropped it, and the child had not changed it */
    PATH_RENAMED,      /* the template moved it */
    PATH_ADDED,        /* new from the template */
    PATH_ADOPTED,      /* the child had just what the template adds */
    PATH_STATES
};
extern const char *const path_state_names[PATH_STATES];

/* One line of the report. */
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
    struct leaf old;  /* in the child's HEAD */
    struct leaf disk; /* afterwards on disk; without a conflict in the tree, too */
    bool conflict;
    struct leaf stages[SIDES]; /* only with a conflict */
};

struct plan {
    struct plan_path *paths; /* sorted by path */
    size_t path_count;
    struct plan_edit *edits; /* sorted by path */
    size_t edit_count;
    size_t conflict_count;
    const char **warnings;
    size_t warning_count;
};

/*
 * Reads nothing but the store, and puts new content there. Errors: a path to restore that is not
 * deleted or not in the template (exit 2, "not-restorable"); an unreadable object.
 */
TG_CHECKED int plan_make(struct plan *out, struct arena *arena, struct store *store,
                         const struct plan_input *input, struct err *err);

/* The file at `path`, or NULL. */
const struct plan_file *plan_list_find(const struct plan_list *list, const char *path);
/* Index of the first file at or behind `path`. */
size_t plan_list_lower_bound(const struct plan_list *list, const char *path);

#endif

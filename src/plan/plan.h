/* What an update does to each path: edits, and a line of the report. */
#ifndef TMPLGEN_PLAN_H
#define TMPLGEN_PLAN_H

#include "catalog/manifest.h"
#include "git/tree_entry.h"
#include "plan/plan_input.h"

#include <stdbool.h>
#include <stddef.h>

/* Names are in `path_state_names`, as docs/json.md has them. */
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
    struct tree_entry old;  /* in the child's HEAD */
    struct tree_entry disk; /* afterwards on disk; without a conflict in the tree, too */
    bool conflict;
    bool index_only; /* on disk it stays, or is there already: a link, a submodule */
    struct tree_entry stages[SIDES]; /* only with a conflict */
};

/* Which files were one, and where it lies afterwards. */
struct plan_pair {
    const struct plan_file *side[SIDES]; /* NULL where it is absent */
    const char *path;                    /* NULL: nowhere */
};

struct plan {
    struct plan_path *paths; /* sorted by path */
    size_t path_count;
    struct plan_edit *edits; /* sorted by path */
    size_t edit_count;
    size_t conflict_count;
    struct plan_pair *pairs; /* all but the child's own files */
    size_t pair_count;
    const char **warnings;
    size_t warning_count;
};

void plan_sort_edits(struct plan_edit *edits, size_t count); /* by path */

#endif

/* Merges the content of one file that both the child and the template changed. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stdbool.h>

struct store;

struct three_way_input {
    const struct plan_file *file[SIDES]; /* all three are set */
    bool lines;                          /* `merge: lines` */
    const char *base_label, *render_label;
};

#define NOTE_ENDINGS_KEPT "your line endings are kept"
#define NOTE_ENDINGS_ALONE "you had changed its line endings alone"

enum three_way_kind {
    THREE_WAY_CLEAN,
    THREE_WAY_MARKED,     /* text with conflict markers */
    THREE_WAY_IMPOSSIBLE, /* binary, or one of them is no file */
};

struct three_way {
    enum three_way_kind kind;
    struct tree_entry result; /* in the store; THREE_WAY_IMPOSSIBLE: the child's content */
    bool text;                /* the result has lines of both sides */
    const char *reason;       /* why it is not clean */
    const char *note;         /* of a clean merge: what became of line endings; or NULL */
};

/*
 * Merges modes and contents separately. Line endings make no conflict: the result has the child's.
 */
TG_CHECKED int three_way_merge(struct three_way *out, struct store *store,
                               const struct three_way_input *input, struct err *err);

/* True where the two files have the same mode and differ in line endings at most. */
TG_CHECKED int three_way_alike(bool *out, struct store *store, const struct plan_file *a,
                               const struct plan_file *b, struct err *err);

/* True where some line begins with a conflict marker of three_way_merge. */
bool three_way_is_marked(struct span content);

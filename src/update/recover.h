/*
 * What was begun is brought to an end: after an interruption, a conflict, a staged result. One
 * table says what becomes of each state, by what the user wants now.
 */
#ifndef TMPLGEN_RECOVER_H
#define TMPLGEN_RECOVER_H

#include "apply/apply.h"
#include "base/err.h"

#include <stdbool.h>

struct arena;
struct child;
struct update_outcome;

enum wanted { WANTED_LOOK, WANTED_UPDATE, WANTED_CONTINUE, WANTED_ABORT, WANTED };

struct recovery {
    struct update_outcome *out;
    struct child *child;
    struct apply *apply; /* NULL: only looking */
    const char *note;    /* filled in: what the user is to know, or NULL */
    /* Own: */
    enum wanted wanted;
    bool done; /* an interrupted run has been finished: that is the outcome */
    struct unfinished unfinished;
    struct err *err;
};

/*
 * Before an update: `*done` where what was found has been finished, and that is the outcome: its
 * exit code is returned. Else 0, and the way is free, or -1.
 */
TG_CHECKED int recover_first(struct recovery *recovery, bool only_looks, bool *done);

/* Commits a conflict that is resolved, or a staged result; finishes an interrupted run. */
TG_CHECKED int update_continue(struct update_outcome *out, struct arena *arena, const char *path,
                               struct err *err);
/* Goes back to before the update. */
TG_CHECKED int update_abort(struct update_outcome *out, struct arena *arena, const char *path,
                            struct err *err);

#endif

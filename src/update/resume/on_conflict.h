/* `--on-conflict commit`: what conflicts is committed, for people to look at on a branch. */
#ifndef TMPLGEN_ON_CONFLICT_H
#define TMPLGEN_ON_CONFLICT_H

#include "plan/plan_input.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct child;
struct plan;

/* Of a conflict that is committed: where the template's content lies. */
struct beside {
    const char *path;   /* in conflict */
    const char *theirs; /* NULL: the template has no file there, or no room for one */
};

/*
 * Makes edits of a plan's conflicts that can be committed: the child's content stays where it is,
 * the template's lies beside it as NAME.tmplgen-theirs, or -2, -3 and so on where that is taken.
 * Below a link or another thing of the child's that is no folder: NAME is that thing's. Returns one
 * line for each conflicting path of the report; its states stay as they are.
 */
struct beside *conflicts_commit(size_t *count, struct arena *arena, const struct child *child,
                                struct plan *plan);

/* NAME.tmplgen-theirs, or a file below such a folder. */
bool conflicts_is_theirs(const char *path);
/* The same files, with those kept apart (`nested`): no renamed file of the template is one. */
struct plan_list conflicts_apart(struct arena *arena, const struct plan_list *files);

/* What an earlier one has left there, in words: "2 files ... wait"; NULL where there is nothing. */
const char *conflicts_left(struct arena *arena, const struct plan_list *files);

#endif

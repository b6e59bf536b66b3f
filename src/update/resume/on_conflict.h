/* `--on-conflict commit`: conflicts are committed, for people to look at on a branch. */
#pragma once

#include "plan/plan.h"

#include <stddef.h>

struct arena;
struct child;
struct plan;

/* A conflict that is committed. */
struct beside {
    const char *path;
    const char *theirs; /* the path of the template's content; NULL: it has no file */
};

/*
 * Turns the edits of a plan's conflicts into edits that can be committed. The child's content stays
 * at its path; the template's lies beside it as NAME.tmplgen-theirs, or with -2, -3 and so on where
 * that is taken. NAME is the path's, or that of a link or a file of the child's on the way to it.
 * Returns a line for each path of the report that is in conflict, and whose state stays.
 */
struct beside *conflicts_commit(size_t *count, struct arena *arena, const struct child *child,
                                struct plan *plan);

/*
 * The same files. Those that are NAME.tmplgen-theirs, or lie below it, are marked as `nested`: none
 * of them is a renamed file of the template.
 */
struct plan_list conflicts_apart(struct arena *arena, const struct plan_list *files);

/* The files that an earlier conflict has left, in words; NULL where there is none. */
const char *conflicts_left(struct arena *arena, const struct plan_list *files);

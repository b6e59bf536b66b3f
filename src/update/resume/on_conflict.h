/* `--on-conflict commit`: conflicts are committed to a branch, for people to look at. */
#pragma once

#include "plan/plan.h"

#include <stddef.h>

struct arena;
struct child;
struct plan;

/* A conflict that is committed. */
struct beside {
    const char *path;
    const char *theirs; /* the path of the template's content; NULL: it has none */
};

/*
 * Turns the edits of a plan's conflicts into edits that can be committed. The child's content stays
 * at its path. The template's goes beside it as NAME.tmplgen-theirs, or with -2, -3 and so on where
 * that is taken. NAME is the path, or a link or file of the child's that is in its way. Returns an
 * entry for each path of the report that is in conflict; the states there stay.
 */
struct beside *conflicts_commit(size_t *count, struct arena *arena, const struct child *child,
                                struct plan *plan);

/*
 * Marks the files that are NAME.tmplgen-theirs, or lie below it, as `nested`: none of them is a
 * renamed file of the template.
 */
struct plan_list conflicts_apart(struct arena *arena, const struct plan_list *files);

/* Names the files that an earlier conflict has left, in words; NULL: there is none. */
const char *conflicts_left(struct arena *arena, const struct plan_list *files);

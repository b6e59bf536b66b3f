/* Is this a form of repository that tmplgen can read and write? */
#pragma once

#include "base/err.h"

struct arena;

/* Where a repository lies; absolute, each ends in '/'. */
struct repo_form {
    const char *git_dir;    /* of this work tree: HEAD, index */
    const char *common_dir; /* objects, refs */
    const char *top;        /* the work tree */
};

/*
 * Finds the repository around `start` without libgit2, and says where it lies.
 * Refuses (3, "repository-form") what libgit2 cannot handle, by name and with the way out.
 */
TG_CHECKED int repo_form_check(struct repo_form *out, struct arena *arena, const char *start,
                               struct err *err);
/*
 * Whether it can be told what repository `start` (absolute) lies in: libgit2 passes over what it
 * cannot see. One that this user may not look into is none, as for git.
 */
TG_CHECKED int repo_form_can_look(const char *start, struct err *err);
/* Right after libgit2 failed to open `top`: why, in words that help; -1. */
int repo_form_explain(const char *top, struct err *err);
/* Right after libgit2 failed to read the index; -1. */
int repo_form_explain_index(struct err *err);

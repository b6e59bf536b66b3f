/* Checks whether tmplgen can read and write this form of repository. */
#pragma once

#include "base/err.h"

struct arena;

/* The folders of a repository; absolute, ending in '/'. */
struct repo_form {
    const char *git_dir;    /* of this work tree: HEAD, index */
    const char *common_dir; /* objects, refs */
    const char *top;        /* the work tree */
};

/*
 * Finds the repository around `start` and its folders, without libgit2. Refuses by name (3,
 * "repository-form"), with a way out, what libgit2 cannot handle.
 */
TG_CHECKED int repo_form_check(struct repo_form *out, struct arena *arena, const char *start,
                               struct err *err);
/*
 * Checks that the repository of `start` (absolute) can be determined: libgit2 ignores what it
 * cannot see. A repository that this user may not read counts as none, as in git.
 */
TG_CHECKED int repo_form_can_look(const char *start, struct err *err);
/* Explains why libgit2 failed to open `top`; call it right after the failure. Returns -1. */
int repo_form_explain(const char *top, struct err *err);
/* The same for a failure to read the index. */
int repo_form_explain_index(struct err *err);

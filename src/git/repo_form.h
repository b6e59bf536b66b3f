/* Is this a form of repository that tmplgen can read and write? */
#ifndef TMPLGEN_GIT_REPO_FORM_H
#define TMPLGEN_GIT_REPO_FORM_H

#include "base/err.h"

struct repo;

/*
 * Finds the repository around `start` without libgit2, and fills git_dir, common_dir and top.
 * Refuses (3, "repository-form") what libgit2 cannot handle, by name and with the way out.
 */
TG_CHECKED int repo_form_check(struct repo *repo, const char *start, struct err *err);
/* Right after libgit2 failed to open `top`: why, in words that help; -1. */
int repo_form_explain(const char *top, struct err *err);
/* Right after libgit2 failed to read the index; -1. */
int repo_form_explain_index(struct err *err);

#endif

/* How far an update has come that replays the child's commits, and stopped on the way. */
#ifndef TMPLGEN_REBASE_PROGRESS_H
#define TMPLGEN_REBASE_PROGRESS_H

#include "base/err.h"

struct data;
struct repo;
struct unfinished;

/* {branch, commit, subject, step, steps} (docs/json.md, status), or null. */
TG_CHECKED int rebase_progress_data(struct data **out, const struct unfinished *unfinished,
                                    const struct repo *repo, struct err *err);

#endif

/* A rebase that stopped on the way: on, or back, from wherever HEAD is. */
#ifndef TMPLGEN_REBASE_RESUME_H
#define TMPLGEN_REBASE_RESUME_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct child;
struct data;
struct journal;
struct oid;
struct repo;

/* HEAD is not where the rebase waited: says so, with the ways out. Returns -1. */
int rebase_resume_refuse(const struct repo *repo, const struct journal *stopped, struct err *err);

/*
 * Goes on to the next stop, or to the end: its document and exit code. `made` as in strategy.h.
 * After child_read.
 */
TG_CHECKED int rebase_resume_go_on(struct data **document, struct child *child, struct apply *apply,
                                   const struct journal *stopped, const struct oid *made,
                                   struct err *err);

/*
 * Goes back to the branch from the tree `from`, which the index has, and which is committed: the
 * user has committed the stop's result, or has given the stop up. After child_read.
 */
TG_CHECKED int rebase_resume_return(struct data **document, struct child *child,
                                    struct apply *apply, const struct journal *stopped,
                                    const struct oid *from, struct err *err);
/*
 * The same, where the user went on from the stop with changes beyond the files in conflict: true
 * where it is done. Else the journal's own way back is due, which needs no space; what the user
 * committed then stays, staged.
 */
bool rebase_resume_try_return(struct data **document, struct child *child, struct apply *apply,
                              const struct journal *stopped, const struct oid *committed);

#endif

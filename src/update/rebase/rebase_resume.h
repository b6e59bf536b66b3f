/* An update that replays commits and stopped on the way: on, or back, from wherever HEAD is. */
#ifndef TMPLGEN_REBASE_RESUME_H
#define TMPLGEN_REBASE_RESUME_H

#include "base/err.h"

#include <stdbool.h>

struct apply;
struct child;
struct data;
struct journal;
struct oid;

struct rebase_resume {
    struct child *child;
    struct apply *apply;
    const struct journal *stopped;
};

/* What is half done, and the ways out, where HEAD is not where it waited. Returns -1. */
int rebase_resume_refuse(const struct rebase_resume *sequence, struct err *err);

/*
 * To the next stop, or the end: its document and exit code. `made` as in strategy.h. After
 * child_read.
 */
TG_CHECKED int rebase_resume_go_on(struct data **document, const struct rebase_resume *sequence,
                                   const struct oid *made, struct err *err);

/*
 * What its user made of it is committed, or the stop was given up: from the tree that the index is
 * of back to the branch. After child_read.
 */
TG_CHECKED int rebase_resume_return(const struct rebase_resume *sequence, const struct oid *from,
                                    struct err *err);

#endif

/* `update`: a child takes the newest version of its template. */
#ifndef TMPLGEN_UPDATE_UPDATE_H
#define TMPLGEN_UPDATE_UPDATE_H

#include "base/err.h"
#include "update/target.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct strategy;
struct update_outcome;

struct update_options {
    const char *path; /* the child, or a folder in it */
    struct target_options target;
    bool check, dry_run, no_commit, accept_drift, trust_base;
    const struct strategy *strategy;
    const char *branch;    /* --branch, or NULL */
    bool refresh;          /* --refresh: that branch is there, and is made anew */
    bool commit_conflicts; /* --on-conflict commit */
    bool signoff;
    const char *message; /* --message, or NULL */
    const char *output;  /* a file that is written afterwards, absolute; or NULL */
    const char *base;    /* --base, or NULL */
    const char *const *restore;
    size_t restore_count;
};

/* Ends with the exit code of its result, or -1 with `err` set. */
TG_CHECKED int update_run(struct update_outcome *out, struct arena *arena,
                          const struct update_options *options, struct err *err);

#endif

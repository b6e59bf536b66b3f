/* `update`: a child takes the newest version of its template. */
#ifndef TMPLGEN_UPDATE_H
#define TMPLGEN_UPDATE_H

#include "base/err.h"
#include "update/target/target.h"

#include <stdbool.h>
#include <stddef.h>

struct apply;
struct arena;
struct child;
struct plan;
struct plan_list;
struct strategy;
struct update_outcome;

struct update_options {
    const char *path; /* the child, or a folder in it */
    struct target_options target;
    bool check, dry_run, no_commit, accept_drift, trust_base;
    const struct strategy *strategy;
    const char *branch; /* --branch, or NULL */
    bool refresh;       /* --refresh: that branch is there, and is made anew */
    bool rewrite_published;
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

/* What `adopt` has found out; from there on it is an update without a version before. */
struct adoption {
    const struct child *child;
    struct apply *apply; /* NULL with --dry-run */
    const struct target *target;
    const struct plan_list *base; /* what is merged against; empty for all else */
    const struct plan *plan;
    const char *const *warnings;
    size_t warning_count;
};

/* Brings the plan and the new record onto the branch, or foresees that, as update_run does. */
TG_CHECKED int update_adopt(struct update_outcome *out, const struct adoption *adoption,
                            const struct update_options *options, struct err *err);

#endif

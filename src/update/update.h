/* `update`: a child takes the newest version of its template. */
#pragma once

#include "base/err.h"
#include "update/target/update_target.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct strategy;

struct update_options {
    const char *path; /* the child, or a folder in it */
    struct target_options target;
    bool check, dry_run, no_commit, accept_drift, trust_base;
    const struct strategy *strategy;
    const char *branch; /* --branch, or NULL */
    bool refresh;       /* --refresh: that branch exists, and is made anew */
    bool rewrite_published;
    bool commit_conflicts; /* --on-conflict commit */
    bool signoff;
    const char *message; /* --message, or NULL */
    const char *output;  /* absolute path of a file that is written afterwards; or NULL */
    const char *base;    /* --base, or NULL */
    struct words restore;
};

struct update_outcome {
    struct data *document; /* as in docs/json.md */
    struct data *refusal;  /* of the matrix, with exit 4; or NULL */
};

/* Returns the exit code of its result, or -1 with `err` set. */
TG_CHECKED int update_run(struct update_outcome *out, struct arena *arena,
                          const struct update_options *options, struct err *err);
/*
 * Commits a resolved conflict or a staged result, and finishes an interrupted run; with `aborts` it
 * restores the state before the update.
 */
TG_CHECKED int update_end(struct data **document, struct arena *arena, const char *path,
                          bool aborts, struct err *err);

/* A child's commits done again on a new base commit, in memory. */
#ifndef TMPLGEN_REPLAY_H
#define TMPLGEN_REPLAY_H

#include "base/err.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/rebase/file_lineage.h"

#include <stdbool.h>
#include <stddef.h>

struct commit_range;
struct range_commit;
struct record;
struct repo;

enum replay_state {
    REPLAY_PENDING, /* not looked at */
    REPLAY_MADE,
    REPLAY_DROPPED, /* nothing of it is left, `note` says why: `made` is the one before it */
    REPLAY_CONFLICT,
    REPLAY_STATES
};
extern const char *const replay_state_names[REPLAY_STATES]; /* as in docs/json.md */

struct replay_step {
    const struct range_commit *commit;
    enum replay_state state;
    struct oid made;
    bool by_hand;     /* a person resolved it */
    const char *note; /* for people, or NULL */
};

/* The latest proven, which the next one asks for again. */
enum { REPLAY_PROVEN = 2 };
struct replay_proven {
    const struct record *record;
    struct base base;
};

struct replay {
    /* Filled in by the caller: */
    struct arena *arena;
    const struct repo *repo;
    const struct commit_range *range;
    const char *committer;    /* "NAME <EMAIL> SECONDS ZONE" */
    struct tree_entry record; /* of the new version: every commit has it */
    struct oid onto;          /* the new base commit */
    struct oid pick;          /* the tree that the strategy `pick` ends in; and */
    const char **apart;       /* paths where it, or a stop, conflicted, so that they may differ */
    size_t apart_count;
    /*
     * What every step is planned with: `yours`, labels, and the disk's case. Of the first step also
     * declared renames.
     */
    const struct plan_input *input;
    struct replay_step *steps;         /* one for each commit of the range */
    size_t at;                         /* the first that is to be done */
    struct oid tip, tree;              /* what is replayed so far: at first `onto` */
    struct file_lineage before, after; /* of the commit before `at`, and of what is replayed: at
                                   first the new render's */
    struct replay_proven proven[REPLAY_PROVEN];
    size_t proven_next;
    /* Of the step that conflicts: */
    struct plan
        stopped; /* its lines; of the edits, conflicts alone, with stages as git's pick has */
    struct oid stopped_tree; /* with what is to lie on disk, the record too */
};

/*
 * From `at` on until a conflict, which is no error, or to the end. An earlier update is replayed as
 * what it holds beyond its own automatic merge; where that conflicts, exit 3, "update-conflicts",
 * naming it. Before the first step: the base that the first commit's record says must be proven.
 */
TG_CHECKED int replay_run(struct replay *replay, struct err *err);

/*
 * Whether the updates behind a stop can be replayed at all: what is refused there is refused before
 * anybody has resolved anything.
 */
TG_CHECKED int replay_check(const struct replay *replay, struct err *err);

/* The step at `at` is done by hand: the commit that was made of it, or, the same as before, none.
 */
TG_CHECKED int replay_take(struct replay *replay, const struct oid *made, struct err *err);

#endif

/* A child's commits done again on a new base commit, in memory, and what that does to files. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"
#include "update/base/proven_base.h"
#include "update/rebase/file_lineage.h"

#include <stdbool.h>
#include <stddef.h>

struct commit_range;
struct range_commit;
struct record;
struct replay_result;
struct repo;
struct words;

/* What a replay is made from. */
struct replay_input {
    const struct repo *repo;
    const struct commit_range *range;
    const char *committer;         /* "NAME <EMAIL> SECONDS ZONE" */
    struct tree_entry record;      /* of the new version: every commit has it */
    struct oid onto;               /* the new base commit */
    const struct plan_input *plan; /* of every step: `yours`, labels, and the disk's case */
};

enum replay_state {
    REPLAY_PENDING,
    REPLAY_MADE,
    REPLAY_DROPPED, /* nothing of it is left: `made` is the commit before it */
    REPLAY_CONFLICT,
    REPLAY_STATES
};
extern const char *const replay_state_names[REPLAY_STATES]; /* as in docs/json.md */

struct replay_step {
    const struct range_commit *commit;
    enum replay_state state;
    struct oid made;
    bool by_hand;     /* the user resolved its conflict */
    const char *note; /* for people, or NULL */
};

/* The latest proven bases: a step asks again for the one of the step before. */
enum { REPLAY_PROVEN = 2 };
struct replay_proven {
    const struct record *record;
    struct base base;
};

/* How far a replay has come. */
struct replay {
    const struct replay_input *in;
    struct replay_step *steps;  /* one for each commit of the range */
    size_t at;                  /* index of the next step */
    struct oid tip, tree;       /* of the replayed commits; at first `onto` */
    struct file_lineage before; /* of the commit before `at` */
    struct file_lineage after;  /* of `tree`; at first the new render's */
    struct replay_proven proven[REPLAY_PROVEN];
    size_t proven_next;
    /* The conflict at which it stops: */
    struct plan stopped;     /* lines of the report; edits, of conflicts alone, with git's stages */
    struct oid stopped_tree; /* that is to lie on disk, with the record */
};

/* Makes the steps of all commits of the range. */
void replay_begin(struct replay *out, const struct replay_input *in);

/*
 * Goes from `at` to a conflict, which is no error, or to the end. Of an earlier update it replays
 * the changes beyond the automatic merge; where that had conflicts: exit 3, "update-conflicts",
 * naming it. Before the first step it proves the base of the first commit's record.
 */
TG_CHECKED int replay_run(struct replay *replay, struct err *err);

/*
 * Checks whether the updates behind a stop can be replayed, so that they are refused before the
 * user resolves anything.
 */
TG_CHECKED int replay_check(const struct replay *replay, struct err *err);

/* Takes the user's commit for the step at `at`; the one before where nothing is left. */
TG_CHECKED int replay_take(struct replay *replay, const struct oid *made, struct err *err);

/* What a replay does to files and index, at a stop or at its end. */

struct replay_edits {
    struct plan_edit *edits; /* sorted by path, from the top of the work tree */
    size_t count;
};

/*
 * From the tree `from`, as it lies on disk, to the tree `to`. `to` has the content that is to lie
 * on disk of `conflicts`, whose stages are base, replayed commits and commit. A conflict that was
 * resolved before is none: `resolved` (one for each conflict) is set, and the resolution takes its
 * place.
 */
TG_CHECKED int replay_edits(struct replay_edits *out, const struct repo *repo,
                            const struct oid *from, const struct oid *to,
                            const struct plan_edit *conflicts, size_t count, bool *resolved,
                            struct err *err);

/*
 * Runs the replay. `from` is the tree that files and index are at. Paths of the conflicts that were
 * resolved before go to `looked_at`, too.
 */
TG_CHECKED int replay_to_edits(struct replay_result *out, struct words *looked_at,
                               struct replay *replay, const struct oid *from, struct err *err);

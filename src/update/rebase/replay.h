/* Replays a child's commits on a new base commit, in memory; and what that does to files. */
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

/* The input of a replay. */
struct replay_input {
    const struct repo *repo;
    const struct commit_range *range;
    const char *committer;         /* "NAME <EMAIL> SECONDS ZONE" */
    struct tree_entry record;      /* of the new version: every commit has it */
    struct oid onto;               /* the new base commit */
    const struct plan_input *plan; /* for every step: `yours`, labels, and the disk's case */
};

enum replay_state {
    REPLAY_PENDING,
    REPLAY_MADE,
    REPLAY_DROPPED, /* nothing of the commit is left: `made` is the commit before it */
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

/* The last proven bases: a step often needs the one of the step before. */
enum { REPLAY_PROVEN = 2 };
struct replay_proven {
    const struct record *record;
    struct base base;
};

/* The progress of a replay. */
struct replay {
    const struct replay_input *in;
    struct replay_step *steps;  /* one for each commit of the range */
    size_t at;                  /* index of the next step */
    struct oid tip, tree;       /* of the replayed commits; `onto` at first */
    struct file_lineage before; /* of the commit before `at` */
    struct file_lineage after;  /* of `tree`; at first that of the new render */
    struct replay_proven proven[REPLAY_PROVEN];
    size_t proven_next;
    /* The conflict that stops the replay: */
    struct plan stopped;     /* lines of the report; edits of conflicts alone, with git's stages */
    struct oid stopped_tree; /* the tree for the disk, with the record */
};

/* Makes the steps of all commits of the range. */
void replay_begin(struct replay *out, const struct replay_input *in);

/*
 * Runs from `at` to a conflict, which is no error, or to the end. Of an earlier update it replays
 * the changes beyond the automatic merge; where that had conflicts: exit 3, "update-conflicts",
 * naming it. Before the first step it proves the base of the first commit's record.
 */
TG_CHECKED int replay_run(struct replay *replay, struct err *err);

/*
 * Checks that the updates after a stop can be replayed. A refusal then comes before the user
 * resolves anything.
 */
TG_CHECKED int replay_check(const struct replay *replay, struct err *err);

/* Takes the user's commit for the step at `at`; where nothing is left, the commit before it. */
TG_CHECKED int replay_take(struct replay *replay, const struct oid *made, struct err *err);

/* The effect of a replay on files and index, at a stop or at its end. */

struct replay_edits {
    struct plan_edit *edits; /* sorted by path, from the top of the work tree */
    size_t count;
};

/*
 * Lists the edits from the tree `from`, as it lies on disk, to the tree `to`. `to` has the content
 * that the disk gets for `conflicts`; their stages are base, replayed commits and commit. A
 * conflict that the user resolved before is none: sets its `resolved` flag (one for each conflict),
 * and uses the resolution.
 */
TG_CHECKED int replay_edits(struct replay_edits *out, const struct repo *repo,
                            const struct oid *from, const struct oid *to,
                            const struct plan_edit *conflicts, size_t count, bool *resolved,
                            struct err *err);

/*
 * Runs the replay. `from` is the tree of files and index. Adds the paths of the conflicts that were
 * resolved before to `looked_at`, too.
 */
TG_CHECKED int replay_to_edits(struct replay_result *out, struct words *looked_at,
                               struct replay *replay, const struct oid *from, struct err *err);

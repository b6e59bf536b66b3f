/* The commits that a rebase replays, in a line up to HEAD, and the refs that contain them. */
#pragma once

#include "base/err.h"
#include "catalog/manifest.h"
#include "child/record.h"
#include "git/commit.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct replay_result;
struct repo;

struct range_commit {
    struct raw_commit raw;
    struct oid parent_tree; /* zero: the commit is a root */
    struct tree_entry record_entry, overlay_entry;
    const struct record *record; /* NULL: it has no readable record */
    const struct record *made;   /* the newest record until then that nobody edited by hand; else
                                    `record` */
    /* Files that migrations rename: of an update from the version before to its own; of an update,
     * and of the first commit, from there to the new version. */
    struct renames went, goes;
    bool is_update; /* its record names another render than its parent's */
};

struct commit_range {
    struct range_commit *commits; /* oldest first */
    size_t count;
};

/*
 * Reads the commits from the root to `tip`, without a root that is a base commit, as rebase makes
 * it. Refused (3), naming the commit: "merge-in-range", "shallow", "unsound-root" (the root has no
 * record, and is not the render of the next commit's record).
 */
TG_CHECKED int range_read(struct commit_range *out, struct arena *arena, const struct repo *repo,
                          const struct oid *tip, struct err *err);

/* Formats "1234567890 (subject)". */
const char *range_name(struct arena *arena, const struct raw_commit *commit);

/* A ref that contains commits of a range, and so keeps the old ones alive. */

struct commit_holder {
    const char *ref; /* in full */
    struct oid tip;
    size_t commits; /* the number of commits of the range that it contains, from its start */
};

/* Remotes' branches, tags, and other branches. */
struct commit_holders {
    struct commit_holder *items;
    size_t count;
};

/* Finds all refs with commits of the range, but `moved`, the branch to move (in full, or NULL). */
TG_CHECKED int holders_find(struct commit_holders *out, const struct repo *repo,
                            const struct commit_range *range, const char *moved, struct err *err);

/* Refused (3, "published") where a remote's branch or a tag is among them. */
TG_CHECKED int holders_check_published(const struct commit_holders *holders,
                                       const struct repo *repo, const struct commit_range *range,
                                       struct err *err);

/*
 * Fills in `rewritten`, the branches of remotes to push anew, and warns of signatures, notes, tags
 * and branches that the new commits lack.
 */
void holders_report(struct replay_result *out, const struct commit_holders *holders,
                    const struct repo *repo, const struct commit_range *range, const char *moved);

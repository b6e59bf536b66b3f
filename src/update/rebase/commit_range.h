/* The commits that a rebase replays: the child's own, from the root to HEAD, in a line. */
#ifndef TMPLGEN_COMMIT_RANGE_H
#define TMPLGEN_COMMIT_RANGE_H

#include "base/err.h"
#include "child/record.h"
#include "git/raw_commit.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct repo;

/* Files that migrations rename. */
struct range_renames {
    const char **old, **new;
    size_t count;
};

struct range_commit {
    struct raw_commit raw;
    struct oid parent_tree; /* zero: it is a root */
    struct tree_entry record_leaf, overlay_leaf;
    const struct record *record; /* what it says of itself; NULL: nothing that can be read */
    const struct record *made; /* the newest one until then that nobody edited by hand, else that */
    struct range_renames went; /* of an update: from the version before to its own, */
    struct range_renames goes; /* and, of the first, too, from there to the new one */
    bool is_update;            /* its record is of another render than its parent's */
};

/* A ref that has commits of the range, which it keeps. */
struct range_holder {
    const char *ref; /* in full */
    struct oid tip;
    size_t commits; /* so many of the range, from its start */
};

struct commit_range {
    struct range_commit *commits; /* oldest first */
    size_t count;
    struct range_holder *holders; /* remotes' branches, tags, and other branches */
    size_t holder_count;
};

/*
 * From the root to `tip`. A root that is a base commit, as rebase makes it, is not a part. Refused
 * (3), naming the commit: "merge-in-range", "shallow", "unsound-root" (the root has no record, and
 * is not what the next commit's record renders to).
 */
TG_CHECKED int range_read(struct commit_range *out, struct arena *arena, const struct repo *repo,
                          const struct oid *tip, struct err *err);

/* Who else has them: all refs but `lands`, the branch that is to be moved (in full, or NULL). */
TG_CHECKED int range_find_holders(struct commit_range *out, struct arena *arena,
                                  const struct repo *repo, const char *lands, struct err *err);

/* Refused (3, "published") where a remote's branch or a tag has some of it. After that. */
TG_CHECKED int range_check_published(const struct commit_range *range, struct arena *arena,
                                     struct err *err);

/* "1234567890 (subject)". */
const char *range_name(struct arena *arena, const struct raw_commit *commit);

#endif

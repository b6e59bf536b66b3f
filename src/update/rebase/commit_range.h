/* The commits that a rebase replays: the child's own, from the root to HEAD, in a line. */
#ifndef TMPLGEN_COMMIT_RANGE_H
#define TMPLGEN_COMMIT_RANGE_H

#include "base/err.h"
#include "child/record.h"
#include "git/commit.h"

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
    struct tree_entry record_entry, overlay_entry;
    const struct record *record; /* NULL: it has none that can be read */
    const struct record *made;   /* the newest record until then that nobody edited by hand; else
                                    `record` */
    struct range_renames went;   /* of an update: from the version before to its own */
    struct range_renames goes;   /* of an update, and of the first commit: from there to the new
                                    version */
    bool is_update;              /* its record names another render than its parent's */
};

struct commit_range {
    struct range_commit *commits; /* oldest first */
    size_t count;
};

/*
 * From the root to `tip`, without a root that is a base commit, as rebase makes it. Refused (3),
 * naming the commit: "merge-in-range", "shallow", "unsound-root" (the root has no record, and is
 * not the render of the next commit's record).
 */
TG_CHECKED int range_read(struct commit_range *out, struct arena *arena, const struct repo *repo,
                          const struct oid *tip, struct err *err);

/* "1234567890 (subject)". */
const char *range_name(struct arena *arena, const struct raw_commit *commit);

#endif

/* Refs that have commits of a range, and keep them as they were. */
#ifndef TMPLGEN_COMMIT_HOLDERS_H
#define TMPLGEN_COMMIT_HOLDERS_H

#include "base/err.h"
#include "git/tree_entry.h"

#include <stddef.h>

struct commit_range;
struct replay_result;
struct repo;

struct commit_holder {
    const char *ref; /* in full */
    struct oid tip;
    size_t commits; /* so many of the range, from its start */
};

/* Remotes' branches, tags, and other branches. */
struct commit_holders {
    struct commit_holder *items;
    size_t count;
};

/* All refs that have some of the range, but `moved`, the branch that is to be moved (in full, or
 * NULL). */
TG_CHECKED int holders_find(struct commit_holders *out, const struct repo *repo,
                            const struct commit_range *range, const char *moved, struct err *err);

/* Refused (3, "published") where a remote's branch or a tag is among them. */
TG_CHECKED int holders_check_published(const struct commit_holders *holders,
                                       const struct repo *repo, const struct commit_range *range,
                                       struct err *err);

/*
 * Fills in `rewritten`, the branches of remotes that are to be pushed anew, and warns of
 * signatures, notes, tags and branches that the new commits lack.
 */
void holders_report(struct replay_result *out, const struct commit_holders *holders,
                    const struct repo *repo, const struct commit_range *range, const char *moved);

#endif

/* `--branch NAME --refresh`: makes a branch anew that has only commits of tmplgen's. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct oid;
struct repo;
struct upstream_copy;

struct refresh {
    struct oid *tip;              /* of the local branch; NULL: there is none */
    struct upstream_copy *copies; /* of the branch, fetched from remotes */
    size_t copy_count;
    const char *old_tip; /* hexadecimal `tip`, else that of the first copy; NULL: none */
};

/*
 * Checks the branch `name` and its copies that were fetched from remotes. Refused (3), naming the
 * commit: "foreign-commit", where one of them has a commit beyond HEAD that is not as tmplgen made
 * it (update/report/commit_message.h); "on-branch", where HEAD is on the branch.
 */
TG_CHECKED int branch_refresh_check(struct refresh *out, const struct repo *repo, const char *name,
                                    struct err *err);

/* Replaces the commit by a remote's commit that is the same. */
TG_CHECKED int branch_refresh_take_copy(struct oid *commit, const struct refresh *refresh,
                                        const struct repo *repo, struct err *err);

/* True where two commits of tmplgen's differ in author, committer and date at most. */
TG_CHECKED int branch_refresh_is_same(bool *out, const struct repo *repo, const struct oid *a,
                                      const struct oid *b, struct err *err);

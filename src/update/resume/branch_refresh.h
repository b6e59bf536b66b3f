/* `--branch NAME --refresh`: a branch that only tmplgen committed to is made anew. */
#ifndef TMPLGEN_BRANCH_REFRESH_H
#define TMPLGEN_BRANCH_REFRESH_H

#include "base/err.h"

#include <stdbool.h>

#include <stddef.h>

struct oid;
struct repo;
struct upstream_copy;

struct refresh {
    struct oid *tip;              /* of the branch here; NULL: it is not there */
    struct upstream_copy *copies; /* that were fetched from remotes */
    size_t copy_count;
    const char *old_tip; /* hexadecimal: of that, else of a remote's copy; NULL: there is none */
};

/*
 * Looks at the branch `name`, and at copies of it that were fetched from remotes. Each must hold
 * nothing beyond HEAD but commits that are as tmplgen made them (update/report/commit_message.h):
 * else refused (3, "foreign-commit"), naming one. HEAD must not be on it (3, "on-branch").
 */
TG_CHECKED int branch_refresh_check(struct refresh *out, const struct repo *repo, const char *name,
                                    struct err *err);

/* A commit that is to be made, but is a remote's branch already, becomes that one. */
TG_CHECKED int branch_refresh_take_copy(struct oid *commit, const struct refresh *refresh,
                                        const struct repo *repo, struct err *err);

/* Whether two commits of tmplgen's differ in nothing but who made them and when. */
TG_CHECKED int branch_refresh_is_same(bool *out, const struct repo *repo, const struct oid *a,
                                      const struct oid *b, struct err *err);

#endif

/* What remotes have of branches: the one that a branch is pulled from, copies of a name. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct repo;

/* A branch as it was fetched last. */
struct upstream_copy {
    const char *name; /* "origin/main" */
    struct oid tip;
};

/*
 * The commit of HEAD's upstream as it was fetched last, and its name (refs/remotes/...). `*found`
 * is false where none is configured, or where it has not been fetched.
 */
TG_CHECKED int upstream_find(struct oid *out, bool *found, const char **name,
                             const struct repo *repo, struct err *err);

/* Those of the branch `branch`, of all remotes. */
TG_CHECKED int upstream_copies(struct upstream_copy **out, size_t *count, const struct repo *repo,
                               const char *branch, struct err *err);

/* Branches of remotes: the upstream of HEAD, and the copies of a branch. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct repo;

/* A remote branch, as last fetched. */
struct upstream_copy {
    const char *name; /* "origin/main" */
    struct oid tip;
};

/*
 * The commit of HEAD's upstream, as last fetched, and its name (refs/remotes/...). `*found` is
 * false if no upstream is configured, or it was not fetched.
 */
TG_CHECKED int upstream_find(struct oid *out, bool *found, const char **name,
                             const struct repo *repo, struct err *err);

/* The copies of `branch` in all remotes. */
TG_CHECKED int upstream_copies(struct upstream_copy **out, size_t *count, const struct repo *repo,
                               const char *branch, struct err *err);

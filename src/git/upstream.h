/* The branch that a branch is pulled from. */
#ifndef TMPLGEN_GIT_UPSTREAM_H
#define TMPLGEN_GIT_UPSTREAM_H

#include "base/err.h"

#include <stdbool.h>

struct oid;
struct repo;

/*
 * The commit of HEAD's upstream as it was fetched last, and its name (refs/remotes/...). `*found`
 * is false where none is configured, or where it has not been fetched.
 */
TG_CHECKED int upstream_find(struct oid *out, bool *found, const char **name,
                             const struct repo *repo, struct err *err);

#endif

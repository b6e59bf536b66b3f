/* A copy of the built-in catalog for a team to change: a repository with its history. */
#ifndef TMPLGEN_EXPORT_H
#define TMPLGEN_EXPORT_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct builtin_commit;
struct create_target;

struct exported {
    const char *path; /* absolute */
    const struct builtin_commit *history;
    size_t count;
    const char *commit; /* the team's first, on top of them */
    const char *name;   /* of the catalog */
};

#define EXPORT_BRANCH "main"

/*
 * Makes `target` a repository with a commit and a tag of each release, under the ids that records
 * of children name, a commit of what is newer where there is such, and on top one of the team's:
 * CI, README.md, and the name of the catalog (NULL: as it is). All of it or nothing.
 */
TG_CHECKED int export_builtin(struct exported *out, struct arena *arena,
                              const struct create_target *target, const char *name,
                              struct err *err);

#endif

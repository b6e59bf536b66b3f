/* Which version of a catalog a repository's files are most like: what they were made from. */
#ifndef TMPLGEN_ADOPT_SEARCH_H
#define TMPLGEN_ADOPT_SEARCH_H

#include "base/err.h"
#include "plan/plan_input.h"

#include <stddef.h>

struct arena;
struct child;
struct data;
struct record;

struct alike {
    const char *version;   /* of the catalog; NULL: none could be rendered */
    struct plan_list base; /* its files of those paths */
    struct data *report;   /* as in docs/json.md */
};

/*
 * Renders every release of the catalog of `record`, and the record's own, with its answers and its
 * stack, and takes the one whose files at `paths` (sorted, all of them the child's) are most like
 * the child's: that with most identical ones, then by bytes in common; of equals the newest.
 */
TG_CHECKED int adopt_search(struct alike *out, struct arena *arena, const struct child *child,
                            const struct record *record, const char *const *paths, size_t count,
                            struct err *err);

#endif

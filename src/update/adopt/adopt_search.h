/* Which version of a catalog resembles a repository's files most: they were made from it. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

struct arena;
struct child;
struct data;
struct record;

struct alike {
    const char *version;   /* of the catalog; NULL: none could be rendered */
    struct plan_list base; /* its files at those paths */
    struct data *report;   /* as in docs/json.md */
};

/*
 * Renders every release of the catalog of `record`, and the record's own, with its answers and its
 * stack. Of these it takes the one whose files at `paths` (sorted, all of them the child's) have
 * the most identical ones, then the most bytes in common; of equals the newest.
 */
TG_CHECKED int adopt_search(struct alike *out, struct arena *arena, const struct child *child,
                            const struct record *record, const struct words *paths,
                            struct err *err);

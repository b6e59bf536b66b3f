/* Finds the version of a catalog that a repository's files resemble most: their origin. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

struct arena;
struct child;
struct data;
struct record;

struct alike {
    const char *version;   /* of the catalog; NULL: none could be rendered */
    struct plan_list base; /* that version's files at the given paths */
    struct data *report;   /* as in docs/json.md */
};

/*
 * Renders every release of the catalog of `record`, and the record's own revision, with its answers
 * and its stack. Chooses by the files at `paths` (sorted, all of them the child's): first by the
 * number of identical files, then by the bytes in common; of equals the newest.
 */
TG_CHECKED int adopt_search(struct alike *out, struct arena *arena, const struct child *child,
                            const struct record *record, const struct words *paths,
                            struct err *err);

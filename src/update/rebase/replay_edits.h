/* What a stop of a rebase, or its end, does to files and index. */
#ifndef TMPLGEN_REPLAY_EDITS_H
#define TMPLGEN_REPLAY_EDITS_H

#include "base/err.h"
#include "plan/plan.h"

#include <stddef.h>

struct repo;

struct replay_edits {
    struct plan_edit *edits; /* sorted by path, from the top of the work tree */
    size_t count;
};

/*
 * From the tree `from`, as it lies on disk, to the tree `to`. Of `conflicts`, whose stages are
 * base, what is replayed and the commit, `to` has what shall lie on disk. One that was resolved
 * before is none: `resolved` (one for each conflict) is set, and what it was resolved to takes its
 * place.
 */
TG_CHECKED int replay_edits(struct replay_edits *out, const struct repo *repo,
                            const struct oid *from, const struct oid *to,
                            const struct plan_edit *conflicts, size_t count, bool *resolved,
                            struct err *err);

#endif

/* What a replay does to files and index, at a stop or at its end. */
#ifndef TMPLGEN_REPLAY_EDITS_H
#define TMPLGEN_REPLAY_EDITS_H

#include "base/err.h"
#include "plan/plan.h"

#include <stddef.h>

struct replay;
struct replay_result;
struct repo;
struct words;

struct replay_edits {
    struct plan_edit *edits; /* sorted by path, from the top of the work tree */
    size_t count;
};

/*
 * From the tree `from`, as it lies on disk, to the tree `to`. `to` has the content that is to lie
 * on disk of `conflicts`, whose stages are base, replayed commits and commit. A conflict that was
 * resolved before is none: `resolved` (one for each conflict) is set, and the resolution takes its
 * place.
 */
TG_CHECKED int replay_edits(struct replay_edits *out, const struct repo *repo,
                            const struct oid *from, const struct oid *to,
                            const struct plan_edit *conflicts, size_t count, bool *resolved,
                            struct err *err);

/*
 * Runs the replay. `from` is the tree that files and index are at. Paths of the conflicts that were
 * resolved before go to `looked_at`, too.
 */
TG_CHECKED int replay_to_edits(struct replay_result *out, struct words *looked_at,
                               struct replay *replay, const struct oid *from, struct err *err);

#endif

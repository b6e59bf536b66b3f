/* Walks history backwards, from one commit to its ancestors. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct repo;

/* Called for each commit; sets `*stop` to end the walk. */
typedef int history_visitor(bool *stop, void *context, const struct oid *commit);

/*
 * Visits every commit reachable from `from` once: itself, its parents, their parents and so on. A
 * commit that is missing (a shallow clone) ends its line.
 */
TG_CHECKED int history_walk(const struct repo *repo, const struct oid *from, history_visitor *visit,
                            void *context, struct err *err);
/* Whether `wanted` is `from` or an ancestor of it. */
TG_CHECKED int history_reaches(bool *out, const struct repo *repo, const struct oid *from,
                               const struct oid *wanted, struct err *err);

/* Commits from one backwards, newest first. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct repo;

/* Called for each commit; sets `*stop` to end the walk. */
typedef int history_visitor(bool *stop, void *context, const struct oid *commit);

/*
 * Every commit that `from` reaches, itself first, parents behind their children's generation, each
 * once. What is not there (a shallow clone) ends its line.
 */
TG_CHECKED int history_walk(const struct repo *repo, const struct oid *from, history_visitor *visit,
                            void *context, struct err *err);
/* Whether `from` is `wanted`, or descends from it. */
TG_CHECKED int history_reaches(bool *out, const struct repo *repo, const struct oid *from,
                               const struct oid *wanted, struct err *err);

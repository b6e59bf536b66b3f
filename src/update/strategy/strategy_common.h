/* What strategies have in common. */
#ifndef TMPLGEN_STRATEGY_COMMON_H
#define TMPLGEN_STRATEGY_COMMON_H

#include "base/err.h"

#include <stddef.h>

struct strategy_step;
struct oid;
struct repo;

/* The commit of a landing's result, with its message, sealed where it is to be. */
TG_CHECKED int strategy_commit(struct oid *out, const struct strategy_step *landing,
                               const struct oid *parents, size_t parent_count, struct err *err);

/* A strategy whose commits have the template at their top: else refused (3, "not-at-root"). */
TG_CHECKED int strategy_check_root(const struct repo *repo, const char *strategy, struct err *err);

#endif

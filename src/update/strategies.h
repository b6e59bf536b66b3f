/* The strategies that there are. */
#ifndef TMPLGEN_STRATEGIES_H
#define TMPLGEN_STRATEGIES_H

#include "update/strategy.h"

/* NULL: there is none of that name. */
const struct strategy *strategy_find(const char *name);
/* All names, separated by ", ". */
const char *strategy_names(struct arena *arena);
/* The one that stopped there. */
const struct strategy *strategy_of(const struct journal *stopped);

#endif

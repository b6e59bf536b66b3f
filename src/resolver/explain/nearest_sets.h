/* What would fit where no single change suffices. */
#ifndef TMPLGEN_NEAREST_SETS_H
#define TMPLGEN_NEAREST_SETS_H

#include "resolver/explain/trials.h"

/* Tries the fewest changes at once that do. */
void try_sets_of_changes(const struct trials *n);

#endif

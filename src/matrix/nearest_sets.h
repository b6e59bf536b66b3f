/* What would fit where no single change suffices. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_NEAREST_SETS_H
#define TMPLGEN_MATRIX_NEAREST_SETS_H

#include "matrix/trials.h"

/* Tries the fewest changes at once that do. */
void try_sets_of_changes(const struct trials *n);

#endif

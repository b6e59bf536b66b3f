/* Releases of low confidence: they are taken only when named exactly. */
#pragma once

#include "resolver/search/demands.h"

/*
 * The newest release of low confidence of the package that the user named (ask->named) or asked for
 * by --with, later than `than` (NULL: any), that the demands `active` would take if it were named
 * exactly. NULL: none, or a release is named exactly already.
 */
const struct release *hardly_known(struct arena *arena, const struct demands *ask, uint64_t active,
                                   const struct framework *row, const struct version *than);
/* "--framework pytorch==2.15.0" or "--with vllm==0.33.0", as the user types it. */
const char *exactly(struct arena *arena, const struct demands *ask, const struct framework *row,
                    const struct release *release);

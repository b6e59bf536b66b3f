/* `template lint`: finds the mistakes of a catalog, as far as they can be found. */
#pragma once

#include "author/lint/lint_finding.h"

struct catalog;

/* Checks `types`; none: all types, and everything that no type takes. Sorts the findings. Fails
 * only where the catalog cannot be read, at limits, and for an unknown type. */
TG_CHECKED int lint_catalog(struct finding_list *out, struct arena *arena,
                            const struct catalog *catalog, struct words types, struct err *err);

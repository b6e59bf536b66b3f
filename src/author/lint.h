/* `template lint`: all that can be seen to be wrong with a catalog. */
#pragma once

#include "author/lint/lint_finding.h"

struct catalog;

/* Of `types`; none: all, and what no type takes. Sorted. Fails only where the catalog cannot be
 * read, at limits, and for an unknown type. */
TG_CHECKED int lint_catalog(struct finding_list *out, struct arena *arena,
                            const struct catalog *catalog, struct words types, struct err *err);

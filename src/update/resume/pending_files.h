/* What an update that is not over has put into the work tree, and nobody has changed since. */
#ifndef TMPLGEN_PENDING_FILES_H
#define TMPLGEN_PENDING_FILES_H

#include "base/err.h"

#include <stdbool.h>

struct repo;
struct unfinished;

/* Whether what lies at `path` (from the top) is just that. A conflict is the user's to resolve. */
TG_CHECKED int pending_files_has(bool *out, const struct unfinished *unfinished,
                                 const struct repo *repo, const char *path, struct err *err);

#endif

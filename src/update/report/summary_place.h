/* Whether the summary may be written there: not over a file of git's, nor one that git tracks. */
#ifndef TMPLGEN_SUMMARY_PLACE_H
#define TMPLGEN_SUMMARY_PLACE_H

#include "base/err.h"

#include <stddef.h>

struct plan_edit;
struct repo;

/*
 * `path` is absolute and goes through no link; NULL: there is no summary. Refused (2, "usage") in
 * git's own folders, and where HEAD or the index has the file.
 */
TG_CHECKED int summary_place_check(const char *path, const struct repo *repo, struct err *err);

/* Refused where an update is about to write the file. */
TG_CHECKED int summary_place_check_edits(const char *path, const struct repo *repo,
                                         const struct plan_edit *edits, size_t count,
                                         struct err *err);

#endif

/* May the summary be written there? Not over a file of git's, nor one that git tracks. */
#ifndef TMPLGEN_SUMMARY_PLACE_H
#define TMPLGEN_SUMMARY_PLACE_H

#include "base/err.h"

#include <stddef.h>

struct plan_edit;
struct repo;

/*
 * `path` is absolute and goes through no link; NULL: nothing is written. Refused (2, "usage") in
 * the repository's own folders, and where HEAD or the index has such a file: it would have changes.
 */
TG_CHECKED int summary_place_check(const char *path, const struct repo *repo, struct err *err);

/* The same of what an update is about to write. */
TG_CHECKED int summary_place_check_edits(const char *path, const struct repo *repo,
                                         const struct plan_edit *edits, size_t count,
                                         struct err *err);

#endif

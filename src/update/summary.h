/* The text of a pull request for an update, and a check of the file that it goes to. */
#pragma once

#include "base/err.h"

#include <stddef.h>

struct buf;
struct data;
struct plan_edit;
struct repo;

/*
 * Formats a document of `update` (docs/json.md). Text of catalog and child is escaped: it is no
 * markup, mentions nobody and closes no issue. Leaves out a section that makes the text too long
 * for a forge, and says so in a line.
 */
void summary_format(struct buf *out, const struct data *document);

/* The file of the summary may be neither one of git's own nor one that git tracks. */

/*
 * `path` is absolute and goes through no link; NULL: there is no summary. Refused (2, "usage"): a
 * path in git's own folders, and a file that HEAD or the index has.
 */
TG_CHECKED int summary_place_check(const char *path, const struct repo *repo, struct err *err);

/* Refused where the update is about to write the file. */
TG_CHECKED int summary_place_check_edits(const char *path, const struct repo *repo,
                                         const struct plan_edit *edits, size_t count,
                                         struct err *err);

/* An update as the text of a pull request, and whether that may be written to a file. */
#pragma once

#include "base/err.h"

#include <stddef.h>

struct buf;
struct data;
struct plan_edit;
struct repo;

/*
 * Formats a document of `update` (docs/json.md). Text of catalog and child is escaped: it is no
 * markup, mentions nobody and closes no issue. A section that makes the text too long for a forge
 * is left out, and a line says so.
 */
void summary_format(struct buf *out, const struct data *document);

/* Whether the summary may be written there: not over a file of git's, nor one that git tracks. */

/*
 * `path` is absolute and goes through no link; NULL: there is no summary. Refused (2, "usage") in
 * git's own folders, and where HEAD or the index has the file.
 */
TG_CHECKED int summary_place_check(const char *path, const struct repo *repo, struct err *err);

/* Refused where an update is about to write the file. */
TG_CHECKED int summary_place_check_edits(const char *path, const struct repo *repo,
                                         const struct plan_edit *edits, size_t count,
                                         struct err *err);

/* New rows for a matrix, from what a package index serves and proves. */
#ifndef TMPLGEN_INDEX_REFRESH_H
#define TMPLGEN_INDEX_REFRESH_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct data;
struct package_index;
struct matrix;

/*
 * For every release on the index that is newer than the newest row (with `gaps` also for those
 * uploaded after the index's `since`): a list of {framework, release, kind: "release" | "build",
 * variant, requirement, row: a line of the file, confidence, evidence: [texts], why}. `row` is null
 * where the index does not prove enough; `why` then says what is missing. `*wanted` as in verify.h.
 */
struct data *matrix_refresh(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                            const char *framework, bool gaps, struct package_index *index);
int matrix_refresh_table(struct buf *out, const struct data *proposals);

/*
 * The text of `framework`'s file with the proposals' rows in it, checked by reading the whole
 * matrix with it. -1 where that finds anything: nothing is to be written then.
 */
TG_CHECKED int matrix_refresh_file(const char **out, struct arena *arena,
                                   const struct matrix *matrix, const char *framework,
                                   const struct data *proposals, const char *today,
                                   struct err *err);

#endif

/* New rows for a matrix, from what a package index serves and proves. */
#ifndef TMPLGEN_REFRESH_H
#define TMPLGEN_REFRESH_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct data;
struct package_index;
struct matrix;
struct patch;

/*
 * For every release on the index that is newer than the newest row (with `gaps` also for those
 * uploaded after the index's `since`), and for what present rows lack: a list of {framework,
 * release, kind: "release" | "build" | "companions", variant, requirement, row: a line of the file,
 * or the field of the row that is there, confidence, evidence: [texts], why}. `row` is null where
 * the index does not prove enough; `why` then says what is missing. `name` is a framework or a
 * package, or NULL: all of both. `*wanted` as in verify.h.
 */
struct data *matrix_refresh(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                            const char *name, bool gaps, struct package_index *index);
int matrix_refresh_table(struct buf *out, const struct data *proposals);

/*
 * The files of the matrix with the proposals' rows in them, where the newest stands first, checked
 * by reading the whole matrix with them. -1 where that finds anything: nothing is to be written
 * then.
 */
TG_CHECKED int matrix_refresh_files(struct patch **out, size_t *count, struct arena *arena,
                                    const struct matrix *matrix, const struct data *proposals,
                                    const char *today, struct err *err);

#endif

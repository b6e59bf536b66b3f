/* New rows for a matrix, as a package index proves them; rows that people accept. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct data;
struct matrix;
struct package_index;

struct patch {
    const char *path; /* in the catalog, of an existing file */
    struct span text;
};

/*
 * Proposes rows for every release on the index that is newer than the newest row (with `gaps` also
 * for those uploaded after the index's `since`), and for gaps in present rows: a list of
 * {framework, release, kind: "release" | "build" | "companions", variant, requirement, row: a line
 * of the file, or a field for a present row, confidence, evidence: [texts], why}. `row` is null
 * where the index does not prove enough; `why` then has what is missing. `name` is a framework or a
 * package; NULL: all of both. `*wanted` as in verify.h.
 */
struct data *matrix_refresh(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                            const char *name, bool gaps, struct package_index *index);
int matrix_refresh_table(struct buf *out, const struct data *proposals);

/*
 * Makes the matrix's files with the proposed rows, the newest first, and checks them by reading the
 * whole matrix with them. -1 where the check finds anything: then the caller writes nothing.
 */
TG_CHECKED int matrix_refresh_files(struct patch **out, size_t *count, struct arena *arena,
                                    const struct matrix *matrix, const struct data *proposals,
                                    const char *today, struct err *err);

/*
 * Reads the whole matrix with the patches in place, and checks it. -1 where that finds anything, as
 * a fault of `what` ("the proposed rows"). A check is long: a run has the steps for one or two.
 */
TG_CHECKED int matrix_patch_check(const struct matrix *matrix, const struct patch *patches,
                                  size_t count, const char *what, struct err *err);

/* The rows that a person has looked at and accepts. */
struct acceptance {
    const char *framework, *version;
    const char *variant;    /* NULL: all builds of the release */
    const char *confidence; /* the new one: "medium", "high" */
};

/*
 * Lifts the rows of the release and its builds whose confidence is lower: a list of {kind:
 * "release" | "build", releases, variant, was, line}. `*text` gets the framework's file with only
 * these words changed, checked as a whole. `matrix` is one with places. Exit 4 where there is no
 * such release or build.
 */
TG_CHECKED int matrix_accept(struct data **lifted, const char **text, struct arena *arena,
                             const struct matrix *matrix, const struct acceptance *acceptance,
                             struct err *err);

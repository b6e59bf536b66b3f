/* Compares the rows of a matrix with a package index. */
#pragma once

#include "base/err.h"

#include <stddef.h>

struct arena;
struct buf;
struct data;
struct matrix;
struct package_index;
struct registry;

/*
 * Verifies each build of each release of `name`, a framework or a package (NULL: of all of both;
 * except packages whose releases are companions, proven as such): a list of {framework, release,
 * variant, requirement, state, proved: [words], differences: [{what, row, index, evidence,
 * explained}], why, file, line}. `state`: "verified" (asked, and the index's answer agrees),
 * "differs", "not-asked" (another index, or not recorded; `why` tells which), "old" (before
 * `since`), "failed". `*wanted` counts missing answers: ask, and verify again.
 */
struct data *matrix_verify(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                           const char *name, struct package_index *index);
/* The number of rows of each state: {verified, differs, explained, not_asked, old, failed}. */
struct data *matrix_verify_counts(struct arena *arena, const struct data *rows);
/* For people: a table by framework and release, then the differences. */
int matrix_verify_table(struct buf *out, const struct data *rows);

/* ------------------------------------------------------------------ images */

/*
 * Looks for every tag at `where`, HOST[/PREFIX], with the repository below it. `*rows` is a list of
 * {image, state, found, digest, differs, why}; `found` is null where the registry could not be
 * asked. A tag of an image at its end of life may be gone; any other is a difference.
 */
TG_CHECKED int matrix_verify_images(struct data **rows, struct arena *arena,
                                    const struct matrix *matrix, struct registry *registry,
                                    const char *where, struct err *err);
/* {there, gone, differs, failed}. */
struct data *matrix_images_counts(struct arena *arena, const struct data *rows);
int matrix_images_table(struct buf *out, const struct data *rows);

/* A matrix with other texts in place of some of its files. */
#ifndef TMPLGEN_MATRIX_EDIT_H
#define TMPLGEN_MATRIX_EDIT_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct matrix;

struct patch {
    const char *path; /* in the catalog, of a file that is there */
    struct span text;
};

/*
 * Reads the whole matrix with the patches in place, and checks it: -1 where that finds anything, as
 * a fault of `what` ("the proposed rows"). A check is long: a run has the steps for one or two.
 */
TG_CHECKED int matrix_patch_check(const struct matrix *matrix, const struct patch *patches,
                                  size_t count, const char *what, struct err *err);

#endif

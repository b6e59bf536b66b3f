/* A matrix with another text in place of one of its files. */
#ifndef TMPLGEN_INDEX_PATCH_H
#define TMPLGEN_INDEX_PATCH_H

#include "base/err.h"
#include "base/str.h"

struct matrix;

/*
 * Reads the whole matrix with `text` in place of the file at `path`, and checks it: -1 where that
 * finds anything, as a fault of `what` ("the proposed rows").
 */
TG_CHECKED int matrix_patch_check(const struct matrix *matrix, const char *path, struct span text,
                                  const char *what, struct err *err);

#endif

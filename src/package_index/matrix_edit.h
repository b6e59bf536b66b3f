/* A matrix with other texts in place of some of its files, and the confidence of rows lifted. */
#ifndef TMPLGEN_MATRIX_EDIT_H
#define TMPLGEN_MATRIX_EDIT_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct data;
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

/* What a person who has looked at rows accepts. */
struct acceptance {
    const char *framework, *version;
    const char *variant;    /* NULL: all builds of the release */
    const char *confidence; /* what they are lifted to: "medium", "high" */
};

/*
 * The rows of the release and its builds whose confidence is lower: a list of {kind: "release" |
 * "build", releases, variant, was, line}. `*text` gets the text of the framework's file with
 * nothing but these words changed, checked as a whole. `matrix` is one with places. Exit 4 where
 * there is no such release or build.
 */
TG_CHECKED int matrix_accept(struct data **lifted, const char **text, struct arena *arena,
                             const struct matrix *matrix, const struct acceptance *acceptance,
                             struct err *err);

#endif

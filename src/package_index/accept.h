/* The confidence of rows, lifted by a person who has looked at them. */
#ifndef TMPLGEN_ACCEPT_H
#define TMPLGEN_ACCEPT_H

#include "base/err.h"

struct arena;
struct data;
struct matrix;

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

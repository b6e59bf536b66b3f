/* What `template lint` is to look at. */
#ifndef TMPLGEN_LINT_INPUT_H
#define TMPLGEN_LINT_INPUT_H

#include "base/str.h"

struct catalog;

struct lint_input {
    const struct catalog *catalog;
    struct words types; /* none: all, and what no type takes */
    const char *source; /* whose releases it is held against; NULL: the built-in catalog's */
};

#endif

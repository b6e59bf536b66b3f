/* The differences between two renders, over many cases: each change once, as a patch. */
#pragma once

#include "base/err.h"
#include "base/intern.h"

#include <stddef.h>

struct render;

struct difference {
    const char *path;
    const char *patch; /* in git's form; NULL: too long, or one of too many */
    const char *where; /* the first case that has it */
    size_t cases;      /* the number of cases that have it */
};

struct differences {
    struct difference *items;
    size_t count;
    struct intern keys; /* identify equal changes */
};

/* Adds the differences of `new` from `old`; a known change of a file is only counted. */
TG_CHECKED int differences_add(struct differences *out, struct arena *arena,
                               const struct render *old, const struct render *new,
                               const char *where, struct err *err);

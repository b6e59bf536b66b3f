/* How two renders differ, over many cases: each change once, as a patch. */
#pragma once

#include "base/err.h"
#include "base/intern.h"

#include <stddef.h>

struct render;

struct difference {
    const char *path;
    const char *patch; /* in git's form; NULL: too long, or one of too many */
    const char *where; /* the first case in which it was found */
    size_t cases;      /* in how many */
};

struct differences {
    struct difference *items;
    size_t count;
    struct intern keys; /* of the same change */
};

/* Adds what is another in `new`; the same change of a file in a further case is only counted. */
TG_CHECKED int differences_add(struct differences *out, struct arena *arena,
                               const struct render *old, const struct render *new,
                               const char *where, struct err *err);

/* A new type for a catalog: something that works, to be changed. */
#ifndef TMPLGEN_SKELETON_H
#define TMPLGEN_SKELETON_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;

struct skeleton {
    const char *folder; /* of the catalog; one that is empty, or missing, becomes one */
    const char *type;
    bool stack; /* a GPU stack: the catalog needs matrices */
    const char
        *from; /* a type of the catalog that it extends; NULL: it asks an example of each kind */
};

/*
 * Makes templates/TYPE/ and tests/TYPE/, with a golden, and catalog.yml where there is none; `made`
 * has their paths. tests/TYPE/ is not made of a type `from` that has a question without a default.
 * What it made is tested before it stays: on failure nothing is left. Refused with 3,
 * "target-not-empty": either folder is there, or other files and no catalog are.
 */
TG_CHECKED int skeleton_make(struct words *made, struct arena *arena,
                             const struct skeleton *skeleton, struct err *err);

#endif

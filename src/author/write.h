/* What a team begins with: a copy of the built-in catalog, a new type that works, to be changed. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct builtin_commit;
struct create_target;

struct exported {
    const char *path; /* absolute */
    const struct builtin_commit *history;
    size_t count;
    const char *commit; /* the team's first, on top of them */
    const char *name;   /* of the catalog */
};

#define EXPORT_BRANCH "main"

/*
 * Makes `target` a repository with a commit and a tag of each release, under the ids that records
 * of children name, a commit of what is newer where there is such, and on top one of the team's:
 * CI, README.md, and the name of the catalog (NULL: as it is). All of it or nothing.
 */
TG_CHECKED int export_builtin(struct exported *out, struct arena *arena,
                              const struct create_target *target, const char *name,
                              struct err *err);

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

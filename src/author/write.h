/* A team's first catalog: a copy of the built-in one, or a new type that works, to be edited. */
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
    const char *commit; /* the team's first, after the history */
    const char *name;   /* of the catalog */
};

#define EXPORT_BRANCH "main"

/*
 * Makes `target` a repository: a commit and a tag of each release, with the ids that records of
 * children name; a commit of later changes where there are any; and at the end one of the team's:
 * CI, README.md, and the name of the catalog (NULL: unchanged). All of it or nothing.
 */
TG_CHECKED int export_builtin(struct exported *out, struct arena *arena,
                              const struct create_target *target, const char *name,
                              struct err *err);

struct skeleton {
    const char *folder; /* of the catalog; an empty or missing folder becomes one */
    const char *type;
    bool stack; /* a GPU stack: the catalog needs matrices */
    const char
        *from; /* a type of the catalog that it extends; NULL: it asks an example of each kind */
};

/*
 * Makes templates/TYPE/ and tests/TYPE/, with a golden, and catalog.yml where there is none; `made`
 * has their paths. Makes no tests/TYPE/ for a type `from` that has a question without a default.
 * Tests the result; on failure nothing is left. Refused with 3, "target-not-empty": either folder
 * exists, or there are other files and no catalog.
 */
TG_CHECKED int skeleton_make(struct words *made, struct arena *arena,
                             const struct skeleton *skeleton, struct err *err);

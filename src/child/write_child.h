/* Putting a rendered child on disk: all of it or nothing. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "child/create/first_commit.h"

#include <stdbool.h>

struct create_options {
    bool no_git;         /* files only, no repository */
    bool commit;         /* inside an existing repository: commit there */
    const char *message; /* of the commit */
    struct span proof;   /* of proof_text, for the new repository; empty: none */
};

/* The absolute form of `path`, whose last parts need not exist. "." and ".." are resolved. */
TG_CHECKED int create_absolute(const char **out, struct arena *arena, const char *path,
                               struct err *err);

/*
 * Refused with 3: a target that is not an empty folder ("target-not-empty"), a link, a file, a
 * target inside a .git folder.
 */
TG_CHECKED int create_inspect(struct create_target *out, struct arena *arena, const char *path,
                              struct err *err);

/*
 * Makes the target of what `fill` puts into the folder that it is given: built beside the target
 * and renamed, so that after a failure or a signal nothing is left behind. `maker` makes files
 * there.
 */
typedef int create_fill(void *context, struct io_maker *maker, const char *folder, struct err *err);
TG_CHECKED int create_folder(struct arena *arena, const struct create_target *target,
                             create_fill *fill, void *context, struct err *err);

/*
 * Writes the files of `render` and `record` to the target. Outside of any repository it makes one
 * with a single root commit and the base ref. As create_folder, all of it or nothing.
 */
TG_CHECKED int create_child(struct created *out, struct arena *arena,
                            const struct create_target *target, const struct render *render,
                            struct span record, const struct create_options *options,
                            struct err *err);

/* Puts a rendered child on disk: all of it or nothing. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "child/create/first_commit.h"

#include <stdbool.h>

struct create_options {
    bool no_git;         /* files only, no repository */
    bool commit;         /* inside an existing repository: commits there */
    const char *message; /* of the commit */
    struct span proof;   /* proof_text's, for the new repository; empty: none */
};

/* Makes `path` absolute; its last parts need not exist. Resolves "." and "..". */
TG_CHECKED int create_absolute(const char **out, struct arena *arena, const char *path,
                               struct err *err);

/*
 * Inspects the target. Refused with 3: one that is not an empty folder ("target-not-empty"), a
 * link, a file, one inside a .git folder.
 */
TG_CHECKED int create_inspect(struct create_target *out, struct arena *arena, const char *path,
                              struct err *err);

/*
 * Makes the target: `fill` fills a temporary folder, which is then moved to the target. So a
 * failure or a signal leaves nothing behind. `maker` makes files in the folder.
 */
typedef int create_fill(void *context, struct io_maker *maker, const char *folder, struct err *err);
TG_CHECKED int create_folder(struct arena *arena, const struct create_target *target,
                             create_fill *fill, void *context, struct err *err);

/*
 * Writes the files of `render` and `record` to the target. Outside of any repository, makes one
 * with a single root commit and the base ref. All of it or nothing, as create_folder does.
 */
TG_CHECKED int create_child(struct created *out, struct arena *arena,
                            const struct create_target *target, const struct render *render,
                            struct span record, const struct create_options *options,
                            struct err *err);

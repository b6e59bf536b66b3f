/* Putting a rendered child on disk: all of it or nothing. */
#ifndef TMPLGEN_CHILD_CREATE_H
#define TMPLGEN_CHILD_CREATE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct render;

/* Where the child goes, looked at before anything is rendered or written. */
struct create_target {
    const char *path;       /* absolute, without a trailing '/' */
    const char *repository; /* the git folder of the repository that it lies in, or NULL */
    bool exists;            /* an empty folder, or one that holds nothing but .git */
};

struct create_options {
    bool no_git;         /* files only, no repository */
    bool commit;         /* inside an existing repository: commit there */
    const char *message; /* of the commit */
};

struct created {
    char commit[41];         /* hex; "" where nothing was committed */
    const char *branch;      /* in the arena; NULL where there is none */
    const char *author;      /* "NAME <EMAIL>", in the arena; NULL without a commit */
    bool author_is_fallback; /* neither git's configuration nor the environment names anybody */
    bool signing_skipped;    /* commit.gpgSign is set, and tmplgen never signs */
};

/*
 * Refused with 3: a target that is not an empty folder ("target-not-empty"), a link, a file, a
 * target inside a .git folder.
 */
TG_CHECKED int create_inspect(struct create_target *out, struct arena *arena, const char *path,
                              struct err *err);

/*
 * Writes the files of `render` and `record` to the target. Outside of any repository it makes one
 * with a single root commit and the base ref. Builds beside the target and renames: after a failure
 * or a signal nothing is left behind.
 */
TG_CHECKED int create_child(struct created *out, struct arena *arena,
                            const struct create_target *target, const struct render *render,
                            struct span record, const struct create_options *options,
                            struct err *err);

#endif

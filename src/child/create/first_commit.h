/* The commits of `new`: the root commit of a fresh repository, or one on top of an existing one. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct io_maker;
struct render;

/* The child's place, inspected before anything is rendered or written. */
struct create_target {
    const char *path;       /* absolute, without a trailing '/' */
    const char *repository; /* the git folder of the repository around it, or NULL */
    bool exists;            /* an empty folder, or one that holds nothing but .git */
};

struct created {
    char commit[41];         /* hex; "" without a commit */
    const char *branch;      /* in the arena; NULL: there is none */
    const char *author;      /* "NAME <EMAIL>", in the arena; NULL without a commit */
    bool author_is_fallback; /* neither git's configuration nor the environment has a name */
    bool signing_skipped;    /* commit.gpgSign is set, but tmplgen never signs */
};

/*
 * Makes the root commit R0 of a new repository: files and record; also the base ref, its proof
 * (empty: none), and an index that agrees with the disk. All objects go into one pack. Uses
 * init.defaultBranch and the user's identity.
 *
 * `begin` makes the repository in `folder`, which `maker` fills and nobody else sees yet. `end`
 * needs the files there, and makes the repository durable. Files written in between go to memory
 * while the pack goes to the disk. The caller releases `*out` after a failure, too.
 */
struct root_commit;
TG_CHECKED int commit_root_begin(struct root_commit **out, struct arena *arena,
                                 struct io_maker *maker, const char *folder,
                                 const struct render *render, struct span record, struct span proof,
                                 const char *message, struct err *err);
TG_CHECKED int commit_root_end(struct created *out, struct root_commit *root);
void commit_root_release(struct root_commit *root);

/*
 * Commits the files in the target onto HEAD of the repository around it, and makes the base ref.
 * The user's staged changes stay staged and out of the commit. Refused with 3 while a merge, rebase
 * or the like is under way.
 */
TG_CHECKED int commit_inside(struct created *out, struct arena *arena,
                             const struct create_target *target, const struct render *render,
                             struct span record, const char *message, struct err *err);

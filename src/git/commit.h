/* Commit objects, made and read without a repository. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct git_repository;
struct store;

/* Who makes commits, in git's form "NAME <EMAIL> SECONDS ZONE". */
struct identity {
    const char *author, *committer;
    const char *name; /* "NAME <EMAIL>" of the author */
    bool fallback;    /* neither git's configuration nor the environment names anybody */
};
/*
 * As git has it: GIT_AUTHOR_* and GIT_COMMITTER_* of the environment, else author.* and
 * committer.*, else user.* of the configuration, else EMAIL (a name is not made up from passwd),
 * else `tmplgen <tmplgen@localhost>`: then `fallback` is set, so that the command can say so.
 */
TG_CHECKED int identity_read(struct identity *out, struct arena *arena,
                             struct git_repository *repository, struct err *err);

TG_CHECKED int commit_put(struct oid *out, struct store *store, const struct oid *tree,
                          const struct oid *parents, size_t parent_count,
                          const struct identity *who, const char *message, struct err *err);

/* A commit as its bytes have it: what a replayed one keeps of it. */
struct raw_commit {
    struct oid id, tree;
    struct oid parent; /* the first; zero: none */
    size_t parent_count;
    const char *author;   /* "NAME <EMAIL> SECONDS ZONE", as it was written */
    const char *encoding; /* of the message, where it is not UTF-8; else NULL */
    struct span message;
    const char *subject; /* its first line */
    bool is_signed;
};

/* One without an author, or with a NUL in its header, is damaged. */
TG_CHECKED int raw_commit_read(struct raw_commit *out, struct arena *arena,
                               const struct store *store, const struct oid *id, struct err *err);

/* The same work with another tree and parent (zero: none), by another committer, unsigned. */
TG_CHECKED int raw_commit_put(struct oid *out, struct store *store, const struct raw_commit *commit,
                              const struct oid *tree, const struct oid *parent,
                              const char *committer, struct err *err);

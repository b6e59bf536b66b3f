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

/* Author and committer of new commits, in git's form "NAME <EMAIL> SECONDS ZONE". */
struct identity {
    const char *author, *committer;
    const char *name; /* "NAME <EMAIL>" of the author */
    bool fallback;    /* neither git's configuration nor the environment has an identity */
};
/*
 * Finds the identity as git does: GIT_AUTHOR_* and GIT_COMMITTER_* of the environment, then
 * author.* and committer.*, then user.* of the configuration, then EMAIL (but no name from passwd).
 * Else it is `tmplgen <tmplgen@localhost>` and sets `fallback`: the command can report it.
 */
TG_CHECKED int identity_read(struct identity *out, struct arena *arena,
                             struct git_repository *repository, struct err *err);

TG_CHECKED int commit_put(struct oid *out, struct store *store, const struct oid *tree,
                          const struct oid *parents, size_t parent_count,
                          const struct identity *who, const char *message, struct err *err);

/* The fields of a commit that a replay keeps. */
struct raw_commit {
    struct oid id, tree;
    struct oid parent; /* the first parent; zero: none */
    size_t parent_count;
    const char *author;   /* "NAME <EMAIL> SECONDS ZONE", unchanged */
    const char *encoding; /* of the message, where it is not UTF-8; else NULL */
    struct span message;
    const char *subject; /* first line of the message */
    bool is_signed;
};

/* Parses a commit. A missing author or a NUL in the header counts as damage. */
TG_CHECKED int raw_commit_read(struct raw_commit *out, struct arena *arena,
                               const struct store *store, const struct oid *id, struct err *err);

/* Creates the same commit with another tree, parent (zero: none) and committer, unsigned. */
TG_CHECKED int raw_commit_put(struct oid *out, struct store *store, const struct raw_commit *commit,
                              const struct oid *tree, const struct oid *parent,
                              const char *committer, struct err *err);

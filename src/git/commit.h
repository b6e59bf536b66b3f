/* Commit objects, made without a repository. */
#ifndef TMPLGEN_COMMIT_H
#define TMPLGEN_COMMIT_H

#include "base/err.h"
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
TG_CHECKED int identity_read(struct identity *out, struct arena *arena,
                             struct git_repository *repository, struct err *err);

TG_CHECKED int commit_put(struct oid *out, struct store *store, const struct oid *tree,
                          const struct oid *parents, size_t parent_count,
                          const struct identity *who, const char *message, struct err *err);

#endif

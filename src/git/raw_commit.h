/* A commit as its bytes have it: what a replayed one keeps of it. */
#ifndef TMPLGEN_RAW_COMMIT_H
#define TMPLGEN_RAW_COMMIT_H

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

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

#endif

/* What everybody needs of libgit2: start-up, errors, identity, trees made in memory. */
#ifndef TMPLGEN_LIBGIT2_H
#define TMPLGEN_LIBGIT2_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct git_repository;
struct git_oid;
struct git_signature;

/* Starts libgit2 once (fsync on); more calls do nothing. Ends at process exit. */
TG_CHECKED int git_start(struct err *err);
/* Sets exit 1, "git", the message and libgit2's own reason; returns -1. Right after the failure. */
int git_fail(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifndef TG_GIT_C
#define git_fail(...) err_minus_one(git_fail(__VA_ARGS__))
#endif

/* One file of a tree to be made; `id` is the blob's. */
struct git_file {
    const char *path;
    bool executable;
    unsigned char id[20];
};

/*
 * A repository that is only objects in memory, to make trees in. Free with git_repository_free().
 */
TG_CHECKED int git_memory_repository(struct git_repository **out, struct err *err);
/* The id of a blob of these bytes. */
TG_CHECKED int git_hash_blob(unsigned char id[20], struct span bytes, struct err *err);
/*
 * Writes the trees that hold `files`, whose ids are filled; `files` sorted or not; paths must be
 * safe and distinct. Blobs are not written.
 */
TG_CHECKED int git_write_tree(struct git_oid *tree, struct git_repository *repository,
                              const struct git_file *files, size_t count, struct err *err);

/*
 * Who commits, as git has it: GIT_AUTHOR_* / GIT_COMMITTER_* in the environment, else author.* /
 * committer.*, else user.* of the configuration, else EMAIL (a name is not made up from passwd),
 * else `tmplgen <tmplgen@localhost>`, and then `*fallback` is set so that the command can say so.
 * `repository` may be NULL: then only the global configuration is asked. Free both signatures.
 */
TG_CHECKED int git_identity(struct git_signature **author, struct git_signature **committer,
                            bool *fallback, struct git_repository *repository, struct err *err);

#endif

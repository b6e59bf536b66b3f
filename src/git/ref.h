/* Refs and the other small files of a repository that an update moves, as git itself does it. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct repo;

/*
 * Takes `path`.lock below `folder` with the text of the file `token` in `tokens` (short, and no
 * other program's), so that the lock can be told from that of another process, also in a copy of
 * the repository. One that is ours already is taken again. Exit 3, "locked", where it is somebody
 * else's, "file-system" where nothing can be locked; `what` is for the message.
 */
TG_CHECKED int ref_lock(int folder, const char *path, int tokens, const char *token,
                        const char *what, struct err *err);
/* Whether locks can be taken at all, before anything is made: else exit 3, "file-system". */
TG_CHECKED int ref_probe(int tokens, const char *token, struct err *err);
#define REF_PROBE "probe" /* in `tokens`, which a kill may leave there */
/* Gives it back where it is ours. */
TG_CHECKED int ref_unlock(int folder, const char *path, int tokens, const char *token,
                          struct err *err);

/* What the ref `name` says now, past every cache; `found` is false where there is none. */
TG_CHECKED int ref_read(struct oid *out, bool *found, const struct repo *repo, const char *name,
                        struct err *err);

/*
 * Renames the prepared file `from` in `tokens` to `path` below `folder`, whose folders are made.
 * Durable afterwards. Nothing happens where `from` is not there any more.
 */
TG_CHECKED int ref_put(int folder, const char *path, int tokens, const char *from, struct err *err);

/* Removes `path` below `folder` where its text, less its newline, is `text`. */
TG_CHECKED int ref_remove(int folder, const char *path, const char *text, struct err *err);
/*
 * Takes the refs `names` (NULL entries: none) away, loose or packed, of the repository whose common
 * folder is `common`. `tokens` has the token of locks, and takes the new packed-refs meanwhile.
 */
TG_CHECKED int ref_delete_all(int common, int tokens, const char *token, const char *const *names,
                              size_t count, struct err *err);
/* Whether that is its text, less the newlines at its end. */
TG_CHECKED int ref_says(bool *out, int folder, const char *path, const char *text, struct err *err);

/* Appends to the reflog of HEAD and of `branch`, unless their last line says it already. HEAD comes
 * from where it is, also where the branch is new (`old` is none). */
void ref_log(const struct repo *repo, const char *branch, const struct oid *old,
             const struct oid *new, const char *who, const char *what);
/* To the branch's alone. */
void ref_log_branch(const struct repo *repo, const char *branch, const struct oid *old,
                    const struct oid *new, const char *who, const char *what);
/* To HEAD's alone, unless its last line is this very one. */
void ref_log_head(const struct repo *repo, const struct oid *old, const struct oid *new,
                  const char *who, const char *what);

/* Moves refs and other small files of a repository in an update, the way git does. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct repo;

/*
 * Locks `path` below `folder` with `path`.lock, whose text is that of the file `token` in `tokens`:
 * short and unique to this program, so that the lock is recognized as ours even in a copy of the
 * repository. A lock that is ours already is taken again. Exit 3: "locked" if another process has
 * it, "file-system" if locks do not work. `what` is for the message.
 */
TG_CHECKED int ref_lock(int folder, const char *path, int tokens, const char *token,
                        const char *what, struct err *err);
/* Checks, before anything is created, that locks work: else exit 3, "file-system". */
TG_CHECKED int ref_probe(int tokens, const char *token, struct err *err);
#define REF_PROBE "probe" /* in `tokens`; a killed run may leave it there */
/* Releases the lock if it is ours. */
TG_CHECKED int ref_unlock(int folder, const char *path, int tokens, const char *token,
                          struct err *err);

/* The current value of the ref `name`, bypassing caches; `found` is false if it does not exist. */
TG_CHECKED int ref_read(struct oid *out, bool *found, const struct repo *repo, const char *name,
                        struct err *err);

/*
 * Renames the prepared file `from` in `tokens` to `path` below `folder`, creating folders, and
 * syncs it. No effect if `from` no longer exists.
 */
TG_CHECKED int ref_put(int folder, const char *path, int tokens, const char *from, struct err *err);

/* Removes `path` below `folder` if its text is `text`, ignoring the final newline. */
TG_CHECKED int ref_remove(int folder, const char *path, const char *text, struct err *err);
/*
 * Deletes the refs `names` (NULL entries are skipped), loose or packed, from the repository with
 * the common folder `common`. `tokens` has the lock token, and temporarily the new packed-refs.
 */
TG_CHECKED int ref_delete_all(int common, int tokens, const char *token, const char *const *names,
                              size_t count, struct err *err);
/* Whether the file's text is `text`, ignoring newlines at its end. */
TG_CHECKED int ref_says(bool *out, int folder, const char *path, const char *text, struct err *err);

/* Appends to the reflogs of HEAD and `branch`, unless the last line is the same. HEAD's entry
 * starts from HEAD's commit, even if the branch is new (`old` is none). */
void ref_log(const struct repo *repo, const char *branch, const struct oid *old,
             const struct oid *new, const char *who, const char *what);
/* Appends to the branch's reflog only. */
void ref_log_branch(const struct repo *repo, const char *branch, const struct oid *old,
                    const struct oid *new, const char *who, const char *what);
/* Appends to HEAD's reflog only, unless its last line is the same. */
void ref_log_head(const struct repo *repo, const struct oid *old, const struct oid *new,
                  const char *who, const char *what);

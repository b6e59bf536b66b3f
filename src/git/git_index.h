/* Git's index: is it what HEAD says, and how it is after an update. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct path_change;
struct tree_files;

/* The index file as it was when it was read. */
struct index;

/*
 * `path` is absolute. A form that libgit2 cannot read is refused by name. A missing file is an
 * empty index.
 */
TG_CHECKED int index_open(struct index **out, const char *path, struct err *err);
void index_free(struct index *index);
/* Opens it anew, unless it was opened before (else NULL) and the file is the same bytewise. */
TG_CHECKED int index_renew(struct index **index, const char *path, struct err *err);

size_t index_count(const struct index *index);
struct index_item {
    const char *path; /* lives as long as the index */
    struct tree_entry leaf;
    int stage;
    bool sparse;        /* outside of the sparse checkout */
    bool assumed;       /* unchanged, as git was told */
    bool intent_to_add; /* no content yet */
};
/* In the order of paths, bytewise, then of stages. */
void index_item(struct index_item *out, const struct index *index, size_t at);
/* The first item of `path`; false, and an empty one, where there is none. */
bool index_find(struct index_item *out, const struct index *index, const char *path);

/* The first item of the change's path, or that there is none, is as the change makes it. */
bool index_has(const struct index *index, const struct path_change *change);

struct stat;
/*
 * True where the first item of `path` was written for just this file on disk: same times, size and
 * inode, and older than the index, so that its content need not be read.
 */
bool index_is_current(const struct index *index, const char *path, const struct stat *info);

/* Paths where index and tree differ, conflicts among them, each once. */
struct words index_differences(struct arena *arena, const struct index *index,
                               const struct tree_files *tree);

/* The checksum that ends the file, hexadecimal; "" where there is none. */
TG_CHECKED int index_checksum(char out[41], const char *path, struct err *err);

/*
 * Writes to `to` the index `from` with the changes, and syncs it. A file of the work tree `top`
 * that is what its change says is new (`new`) gets its stat data, so that git need not read it
 * again. Its mode is `mode`, or that of `from` with 0.
 */
TG_CHECKED int index_write(const char *to, const char *from, mode_t mode, int top,
                           const struct path_change *changes, size_t count, struct err *err);

struct git_index_entry;
/*
 * Stat data tells git that it need not read a file. So `entry` gets those of the file at `path`
 * below `top` only where that holds the bytes that hash to `raw`, the run's own: what somebody
 * saved since is for git to find. (The executable bit git compares in any case.) `raw` NULL: nobody
 * else can have been at it.
 */
void index_fill_stat(struct git_index_entry *entry, int top, const char *path,
                     const struct oid *raw);

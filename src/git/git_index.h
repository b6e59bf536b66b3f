/* Git's index: compares it with HEAD, and writes it after an update. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct path_change;
struct tree_files;

/* The index file, as read. */
struct index;

/*
 * Opens the index at `path` (absolute). A missing file is an empty index. An index format that
 * libgit2 cannot read is refused by name.
 */
TG_CHECKED int index_open(struct index **out, const char *path, struct err *err);
void index_free(struct index *index);
/* Reads the index again, unless `*index` is open (not NULL) and the file has the same bytes. */
TG_CHECKED int index_renew(struct index **index, const char *path, struct err *err);

size_t index_count(const struct index *index);
struct index_item {
    const char *path; /* owned by the index */
    struct tree_entry leaf;
    int stage;
    bool sparse;        /* outside of the sparse checkout */
    bool assumed;       /* marked as unchanged in git */
    bool intent_to_add; /* no content yet */
};
/* Item `at`, in bytewise order of paths, then by stage. */
void index_item(struct index_item *out, const struct index *index, size_t at);
/* The first item of `path`; false, with an empty item, if there is none. */
bool index_find(struct index_item *out, const struct index *index, const char *path);

/* Whether the first item of the change's path (or its absence) equals the result of the change. */
bool index_has(const struct index *index, const struct path_change *change);

struct stat;
/*
 * True if the first item of `path` has the times, size and inode of `info`, and the file is older
 * than the index: its content need not be read.
 */
bool index_is_current(const struct index *index, const char *path, const struct stat *info);

/* The paths that differ between index and tree, including conflicts, each once. */
struct words index_differences(struct arena *arena, const struct index *index,
                               const struct tree_files *tree);

/* The checksum at the end of the file, in hexadecimal; "" if there is none. */
TG_CHECKED int index_checksum(char out[41], const char *path, struct err *err);

/*
 * Writes the index `from` with the changes to `to`, and syncs it. A file of the work tree `top`
 * that equals `new` of its change gets its stat data, so that git need not read it again. The index
 * gets the permissions `mode`, or with 0 those of `from`.
 */
TG_CHECKED int index_write(const char *to, const char *from, mode_t mode, int top,
                           const struct path_change *changes, size_t count, struct err *err);

struct git_index_entry;
/*
 * Fills in the stat data of the file at `path` below `top`: they tell git that it need not read the
 * file. Does so only if the file's bytes hash to `raw`, the hash of what this run wrote: git must
 * notice a later edit. (Git always compares the executable bit.) With `raw` NULL, no other program
 * can have changed the file.
 */
void index_fill_stat(struct git_index_entry *entry, int top, const char *path,
                     const struct oid *raw);

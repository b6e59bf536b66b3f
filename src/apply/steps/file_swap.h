/* Brings one path of the work tree from a known content to another, and never an unknown one. */
#pragma once

#include "base/err.h"
#include "git/path_change.h"

#include <stdbool.h>

struct arena;
struct store;

/*
 * File number N of `stage` holds the other content of path number N: the new one before the
 * exchange, the old one afterwards. So going back is an exchange, too.
 */
struct swap {
    struct arena *arena;
    int top;                   /* the work tree */
    int stage;                 /* on the same file system */
    bool modes_count;          /* core.fileMode */
    const struct store *store; /* has every content by the hash of its bytes on disk */
};

enum swap_result {
    SWAP_DONE,    /* `target` is there now, or was already */
    SWAP_FOREIGN, /* another content was there, and is there still */
};

/* A file that is put aside has its path, this, and a number as its name. */
#define SWAP_KEPT ".tmplgen-kept-"

/*
 * On a file system that cannot exchange two files at once an exchange has steps, and a crash can
 * come between them. Then swap_mend is due for each number before paths are brought or discarded:
 * afterwards the content of the path lies there again, or is in the stage. A content that is not
 * the change's is the user's: `*kept`, as with swap_discard.
 */
bool swap_was_cut(const struct swap *swap);
TG_CHECKED int swap_mend(const char **kept, const struct swap *swap, size_t number,
                         const struct path_change *change, struct err *err);

/* Brings the path from `source` to `target`. -1 on failure, with the path as it was. */
TG_CHECKED int swap_bring(enum swap_result *result, const struct swap *swap, size_t number,
                          const struct path_change *change, const struct disk_entry *source,
                          const struct disk_entry *target, struct err *err);

/* Writes the file that the exchange needs. */
TG_CHECKED int swap_stage(const struct swap *swap, size_t number, const struct path_change *change,
                          const struct disk_entry *target, struct err *err);

/* What file `number` of the stage holds. */
TG_CHECKED int swap_staged(struct disk_entry *out, const struct swap *swap, size_t number,
                           struct err *err);

/*
 * Removes file `number` of the stage where its content is the change's old or new one, or half
 * written: `*kept` is NULL. Another content is the user's: it goes beside its path as
 * NAME.tmplgen-kept-N, and `*kept` is that name, in the arena.
 */
TG_CHECKED int swap_discard(const char **kept, const struct swap *swap, size_t number,
                            const struct path_change *change, struct err *err);

/* Removes the empty folders whose places files took, once there is no way back. */
void swap_discard_folders(const struct swap *swap);

bool swap_same(const struct swap *swap, const struct disk_entry *a, const struct disk_entry *b);

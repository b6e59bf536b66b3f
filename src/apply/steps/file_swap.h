/* Replaces the content of one path of the work tree where it is known; never an unknown content. */
#pragma once

#include "base/err.h"
#include "git/path_change.h"

#include <stdbool.h>

struct arena;
struct store;

/*
 * File number N of `stage` holds the other content of path number N: the new one before the
 * exchange, the old one afterwards. So undoing is the same exchange.
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

/* A file that is put aside is named after its path, this text, and a number. */
#define SWAP_KEPT ".tmplgen-kept-"

/*
 * Some file systems cannot exchange two files at once. There an exchange takes steps, and a crash
 * can come between them; swap_was_cut tells. The caller then calls swap_mend for each number before
 * it brings or discards a path. Afterwards the content of the path lies there again, or is in the
 * stage. Content that is neither old nor new is the user's: sets `*kept` as swap_discard does.
 */
bool swap_was_cut(const struct swap *swap);
TG_CHECKED int swap_mend(const char **kept, const struct swap *swap, size_t number,
                         const struct path_change *change, struct err *err);

/* Brings the path from `source` to `target`. Returns -1 on failure, with the path as it was. */
TG_CHECKED int swap_bring(enum swap_result *result, const struct swap *swap, size_t number,
                          const struct path_change *change, const struct disk_entry *source,
                          const struct disk_entry *target, struct err *err);

/* Writes the file that the exchange needs. */
TG_CHECKED int swap_stage(const struct swap *swap, size_t number, const struct path_change *change,
                          const struct disk_entry *target, struct err *err);

/* Describes the content of file `number` of the stage. */
TG_CHECKED int swap_staged(struct disk_entry *out, const struct swap *swap, size_t number,
                           struct err *err);

/*
 * Removes file `number` of the stage where it has the change's old or new content, or is half
 * written; `*kept` is NULL. Any other content is the user's: it goes beside its path as
 * NAME.tmplgen-kept-N, and `*kept` is that name, in the arena.
 */
TG_CHECKED int swap_discard(const char **kept, const struct swap *swap, size_t number,
                            const struct path_change *change, struct err *err);

/* Removes the empty folders that files replaced, once the run cannot be undone any more. */
void swap_discard_folders(const struct swap *swap);

bool swap_same(const struct swap *swap, const struct disk_entry *a, const struct disk_entry *b);

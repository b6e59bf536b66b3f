/* Which lines of one text became which lines of another. */
#ifndef TMPLGEN_HUNKS_H
#define TMPLGEN_HUNKS_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;

/* Other lines replace those from `old_at` on, counted from 0; everything else is equal. */
struct hunk {
    size_t old_at, old_count, new_count;
};

typedef void hunk_taker(void *context, const struct hunk *hunk);

/*
 * Calls `take` for each hunk, in order. A missing newline at the end is no change of the last line.
 * -1 where libgit2 fails; git_error_last says why.
 */
TG_CHECKED int hunks_find(struct arena *arena, struct span old, struct span new, hunk_taker *take,
                          void *context);

#endif

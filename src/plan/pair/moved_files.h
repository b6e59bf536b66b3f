/* Files of the base that the child moved, found again by their content. */
#ifndef TMPLGEN_MOVED_FILES_H
#define TMPLGEN_MOVED_FILES_H

#include "base/err.h"
#include "plan/plan_input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct store;

struct child_moves {
    size_t *child_of;        /* per base file: what it became, or SIZE_MAX */
    const char **looks_like; /* per base file: the child's own file that may be it, but is not
                                proven to be; or NULL */
};

/*
 * `gone[i]`: base file i is looked for; `own[j]`: child file j may be it. A match is by identical
 * content, else by similarity, and counts where it is the only one on both sides, and rests on
 * enough that is no comment and that other files of base, child or new render do not share: as a
 * whole, or in lines (identical content: not many others; of the child, as far as it was read).
 * Nothing of the child is read but files of a size that fits.
 */
TG_CHECKED int moved_files_find(struct child_moves *out, struct arena *arena, struct store *store,
                                const struct plan_input *input, const bool *gone, const bool *own,
                                struct err *err);

#endif

/* Finds files of the base that the child moved, by their content. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

struct child_moves {
    size_t *child_of;        /* per base file: index of the child's file, or SIZE_MAX */
    const char **looks_like; /* per base file: a file of the child that resembles it, but is not
                                proven to be the same; or NULL */
};

/*
 * Looks for each base file i with `gone[i]` among the child's files j with `own[j]`. Two files
 * match by identical content, else by similarity. A match counts where it is the only one on both
 * sides, and where enough of the content is no comment and belongs to these files alone: other
 * files of base, child or new render share neither the whole content nor its lines. (With identical
 * content two files may share a line; of the child only files that were read count.) Does not read
 * files of the child whose size rules a match out.
 */
TG_CHECKED int moved_files_find(struct child_moves *out, struct arena *arena, struct store *store,
                                const struct plan_input *input, const bool *gone, const bool *own,
                                struct err *err);

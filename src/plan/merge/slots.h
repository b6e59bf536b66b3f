/* Three-way merge of files with one pin a line (`merge: lines`). */
#ifndef TMPLGEN_SLOTS_H
#define TMPLGEN_SLOTS_H

#include "base/str.h"

#include <stdbool.h>

struct buf;

struct slots_labels {
    const char *ours, *base, *theirs;
};

/*
 * Each base line is a slot. Changes to different slots never conflict, adjacent or not; insertions
 * hang on the slot before them, ours first, a line that both inserted there once. The same slot
 * changed differently, or deleted against edited, conflicts: `*clean` is false and diff3 markers
 * stand in `out`. -1 only where `out` overflows.
 */
int slots_merge(struct buf *out, bool *clean, struct span base, struct span ours,
                struct span theirs, const struct slots_labels *labels);

#endif

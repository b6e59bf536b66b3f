/* Three-way merge of files with one pin a line (`merge: lines`). */
#pragma once

#include "base/str.h"

#include <stdbool.h>

struct buf;

struct slots_labels {
    const char *ours, *base, *theirs;
};

/*
 * Each base line is a slot. Changes to different slots never conflict, even adjacent ones. Inserted
 * lines belong to the slot before them: ours come first, and a line that both sides inserted
 * appears once. Two different changes to one slot conflict, also deleting against editing: then
 * `*clean` is false, and `out` has diff3 markers. Returns -1 only where `out` overflows.
 */
int slots_merge(struct buf *out, bool *clean, struct span base, struct span ours,
                struct span theirs, const struct slots_labels *labels);

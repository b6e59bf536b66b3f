/* The change of one path of a work tree, on disk and in the index. */
#pragma once

#include "git/disk_entry.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <sys/types.h>

/* Of git's index: 0 is a plain entry, the others are a conflict. */
enum { STAGE_BASE = 1, STAGE_OURS, STAGE_THEIRS, STAGES };

/* One path, from the top of the work tree. */
struct path_change {
    const char *path;
    struct disk_entry old, new;       /* on disk; if equal, no change */
    mode_t mode;                      /* permission bits of a new file */
    struct tree_entry stages[STAGES]; /* index entries afterwards; all absent: none */
    bool skipped, assumed; /* bits that the entry keeps: skip-worktree, assume-unchanged */
};

/* Outside the sparse checkout: changes only the index. */
static inline bool path_change_is_sparse(const struct path_change *change)
{
    return change->skipped && change->old.kind == DISK_ABSENT;
}

static inline bool path_change_on_disk(const struct path_change *change)
{
    return !disk_equal(&change->old, &change->new);
}

static inline bool path_change_conflicts(const struct path_change *change)
{
    return change->stages[1].mode || change->stages[2].mode || change->stages[3].mode;
}

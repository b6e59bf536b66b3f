/* Resolutions of conflicts, kept so that the next equal conflict is resolved in the same way. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct repo;
struct tree_entry;

/*
 * They lie in git's folder, below tmplgen/resolutions, a file each, for all work trees. Two
 * conflicts are equal where the path, all three contents and modes are. A resolution is a file's
 * content and mode, or its absence. The newest RESOLUTIONS_MAX are kept.
 */
enum { RESOLUTIONS_MAX = 1000 };

struct conflict {
    const char *path;
    const struct tree_entry *stages; /* STAGES of them */
};

/* Keeps it where that is possible; to fail is no error. */
void kept_resolution_store(const struct repo *repo, const struct conflict *conflict,
                           const struct tree_entry *resolved);

/* Puts the resolution into the store. One that is damaged or cannot be read is not `*found`. */
TG_CHECKED int kept_resolution_find(struct tree_entry *out, bool *found, const struct repo *repo,
                                    const struct conflict *conflict, struct err *err);

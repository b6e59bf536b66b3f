/* Resolutions of conflicts, kept so that the next equal conflict is resolved in the same way. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct repo;
struct tree_entry;

/*
 * Git's folder has them below tmplgen/resolutions, one file each, for all work trees. Two conflicts
 * are equal where their path and all three contents and modes are equal. A resolution is a file's
 * content and mode, or its absence. The newest RESOLUTIONS_MAX are kept.
 */
enum { RESOLUTIONS_MAX = 1000 };

struct conflict {
    const char *path;
    const struct tree_entry *stages; /* an array of STAGES entries */
};

/* Keeps a resolution where that is possible; a failure is no error. */
void kept_resolution_store(const struct repo *repo, const struct conflict *conflict,
                           const struct tree_entry *resolved);

/* Puts the resolution into the store. `*found` is false if it is missing, damaged or unreadable. */
TG_CHECKED int kept_resolution_find(struct tree_entry *out, bool *found, const struct repo *repo,
                                    const struct conflict *conflict, struct err *err);

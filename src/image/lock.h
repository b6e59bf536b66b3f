/* The lock file: base images by digest, and the packages that their images were built with. */
#ifndef TMPLGEN_LOCK_H
#define TMPLGEN_LOCK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;

#define LOCK_FILE "base-images.lock.yml"

struct lock {
    const char *path;
    struct data *images;   /* REPO:TAG: {digest, media_type, platforms: {linux/amd64: DIGEST}} */
    struct data *packages; /* IMAGE:TAG: {STEP: [NAME==VERSION]}: what the first build found */
};

/* Reads it strictly; one that is not there is empty. Exit 2 with file:line:column. */
TG_CHECKED int lock_load(struct lock *out, struct arena *arena, const char *path, struct err *err);
/* The digest that `reference` (REPO:TAG) is locked to, or NULL. */
const char *lock_digest(const struct lock *lock, const char *reference);
/* Whether a line of `pip freeze` may stand among the packages. */
bool lock_takes_package(const char *text);
/*
 * Replaces the file, or leaves it alone where it would be the same. `*written` says which. One that
 * is there keeps its mode, and a link stays a link: what it names is written.
 */
TG_CHECKED int lock_write(bool *written, const struct lock *lock, struct err *err);
/*
 * Changes the file as it is now, while nobody else does: `act` gets what it holds, which is read
 * again for it. `*written` as above.
 */
TG_CHECKED int lock_edit(bool *written, struct arena *arena, const char *path,
                         void (*act)(struct lock *now, void *context), void *context,
                         struct err *err);
/* Drops what is under none of the names of `needed`, a list of texts; a list of what was dropped.
 */
struct data *lock_drop(struct data **map, struct arena *arena, const struct data *needed);

#endif

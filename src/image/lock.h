/* The lock file: base images by digest, and the packages that their images were built with. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct image_row;
struct matrix;
struct registry;

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
/* Drops what is under none of the names of the list `needed`; a list of what was dropped. */
struct data *lock_drop(struct data **map, struct arena *arena, const struct data *needed);

/* ------------------------------------------------------------------ bases and their registries */

/* What the lock is to hold, and whom to tell. */
struct lock_wishes {
    const struct image_row *rows;
    size_t count;
    bool whole;  /* the rows are all that there are: what none of them needs is dropped */
    bool update; /* ask again for what is locked, too: all, or those of `again` */
    const struct data *again;                      /* a list of REPO:TAG; empty: all */
    void (*tell)(void *context, const char *text); /* of each that could not be had */
    void *context;
};

struct lock_outcome {
    struct data *locked;           /* a list of {reference, digest, was} */
    struct data *taken;            /* what was asked for and answered: REPO:TAG: as in the file */
    struct data *dropped;          /* a list of REPO:TAG */
    struct data *dropped_packages; /* a list of IMAGE:TAG: there is no such row any more */
    size_t failed; /* how many could not be had; the others are in the lock all the same */
};

/*
 * Makes `lock`, in memory, hold what the rows need; what is dropped is lock_keep_bases's. -1 only
 * where the run ended.
 */
TG_CHECKED int lock_bases(struct lock_outcome *out, struct arena *arena, struct lock *lock,
                          const struct lock_wishes *wishes, struct registry *registry,
                          struct err *err);

/*
 * Puts what was taken into the file, drops what no row needs where they are all, and leaves alone
 * what others have put there meanwhile.
 */
TG_CHECKED int lock_keep_bases(struct lock_outcome *outcome, bool *written, struct arena *arena,
                               const char *path, const struct lock_wishes *wishes, struct err *err);

/*
 * Asks for everything that is locked: a list of {reference, status, state, digest, now, why}.
 * `state` is what the matrix says of it, null where that knows nothing. -1 only where the run
 * ended.
 */
TG_CHECKED int verify_bases(struct data **checked, struct arena *arena, const struct lock *lock,
                            const struct matrix *matrix, const struct image_row *rows, size_t count,
                            struct registry *registry, struct err *err);
/* The exit code that such a list makes: 0, 6 where something moved, is gone or has no support,
 * else 1. */
int verify_exit(const struct data *checked);

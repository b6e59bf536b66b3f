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
    struct data *packages; /* IMAGE:TAG: {STEP: [NAME==VERSION]}: from the first build */
};

/* Reads a lock strictly; a missing file is an empty lock. Exit 2 with file:line:column. */
TG_CHECKED int lock_load(struct lock *out, struct arena *arena, const char *path, struct err *err);
/* The digest that `reference` (REPO:TAG) is locked to, or NULL. */
const char *lock_digest(const struct lock *lock, const char *reference);
/* True where a line of `pip freeze` is allowed among the packages. */
bool lock_takes_package(const char *text);
/*
 * Replaces the file, unless it would be the same; `*written` tells. An existing file keeps its
 * mode, and a link stays a link: its target is written.
 */
TG_CHECKED int lock_write(bool *written, const struct lock *lock, struct err *err);
/*
 * Changes the present file under a lock: reads it again, and passes its content to `act`.
 * `*written` as above.
 */
TG_CHECKED int lock_edit(bool *written, struct arena *arena, const char *path,
                         void (*act)(struct lock *now, void *context), void *context,
                         struct err *err);
/* Drops entries whose names are not in the list `needed`; returns a list of those. */
struct data *lock_drop(struct data **map, struct arena *arena, const struct data *needed);

/* ------------------------------------------------------------------ bases and their registries */

/* The wanted content of the lock, and the receiver of failures. */
struct lock_wishes {
    const struct image_row *rows;
    size_t count;
    bool whole;               /* these are all rows: drop what none of them needs */
    bool update;              /* ask again for locked bases: for all, or those of `again` */
    const struct data *again; /* a list of REPO:TAG; empty: all */
    void (*tell)(void *context, const char *text); /* called for each base that could not be had */
    void *context;
};

struct lock_outcome {
    struct data *locked;           /* a list of {reference, digest, was} */
    struct data *taken;            /* answers: REPO:TAG: as in the file */
    struct data *dropped;          /* a list of REPO:TAG */
    struct data *dropped_packages; /* a list of IMAGE:TAG whose row no longer exists */
    size_t failed; /* number of bases without an answer; the others are in the lock all the same */
};

/*
 * Makes `lock`, in memory, have the bases that the rows need; lock_keep_bases drops the others. -1
 * only where the run ended.
 */
TG_CHECKED int lock_bases(struct lock_outcome *out, struct arena *arena, struct lock *lock,
                          const struct lock_wishes *wishes, struct registry *registry,
                          struct err *err);

/*
 * Puts the answers into the file. Where the rows are all, drops entries that no row needs. Leaves
 * alone what other runs have put there meanwhile.
 */
TG_CHECKED int lock_keep_bases(struct lock_outcome *outcome, bool *written, struct arena *arena,
                               const char *path, const struct lock_wishes *wishes, struct err *err);

/*
 * Asks for every locked base: a list of {reference, status, state, digest, now, why}. `state` is
 * the matrix's, null where the matrix does not have the base. -1 only where the run ended.
 */
TG_CHECKED int verify_bases(struct data **checked, struct arena *arena, const struct lock *lock,
                            const struct matrix *matrix, const struct image_row *rows, size_t count,
                            struct registry *registry, struct err *err);
/* The exit code that such a list makes: 0, 6 where something moved, is gone or has no support,
 * else 1. */
int verify_exit(const struct data *checked);

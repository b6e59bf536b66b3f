/* Base images and their registries: what tags stand for, against what the lock file says. */
#ifndef TMPLGEN_IMAGE_BASE_CHECK_H
#define TMPLGEN_IMAGE_BASE_CHECK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct image_row;
struct lock;
struct matrix;
struct registry;

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
    struct data *locked;  /* a list of {reference, digest, was} */
    struct data *dropped; /* a list of REPO:TAG */
    size_t failed;        /* how many could not be had; the others are in the lock all the same */
};

/* Makes `lock`, in memory, hold what the rows need. -1 only where the run ended. */
TG_CHECKED int lock_bases(struct lock_outcome *out, struct arena *arena, struct lock *lock,
                          const struct lock_wishes *wishes, struct registry *registry,
                          struct err *err);

/*
 * Puts that into the file, and leaves alone what others have put there meanwhile. `*gone`: the rows
 * whose packages went, since there is no such row any more.
 */
TG_CHECKED int lock_keep_bases(struct data **gone, bool *written, struct arena *arena,
                               const struct lock *lock, const struct lock_wishes *wishes,
                               struct err *err);

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

#endif

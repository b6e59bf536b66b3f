/* Base images and their registries: what tags stand for, against what the lock file says. */
#ifndef TMPLGEN_BASE_CHECK_H
#define TMPLGEN_BASE_CHECK_H

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

#endif

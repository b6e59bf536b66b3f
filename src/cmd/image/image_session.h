/* Base images on the command line: what `image` commands share. */
#ifndef TMPLGEN_IMAGE_SESSION_H
#define TMPLGEN_IMAGE_SESSION_H

#include "base/err.h"
#include "cmd/common/config.h"
#include "cmd/common/opt.h"
#include "image/image_rows.h"
#include "image/lock.h"

struct image_plan;
struct registry;
struct run;
struct session;

#define IMAGE_NAMES_MAX 1000

struct image_session;

/* What a command does with its rows. */
struct image_work {
    int (*act)(struct image_session *s); /* the exit code of a result, or -1 */
    bool locks;                          /* makes the lock file */
    bool uses_bases;  /* makes something that stands on them, which should be known */
    bool builds_here; /* for this machine alone */
};

/* Rows of a command: which, from where, under which names. */
struct image_session {
    struct session *in; /* catalog, overlay */
    struct run *run;
    const struct image_work *work;
    struct err *err;
    struct config config;
    struct image_plan *plan; /* or NULL */
    struct stack_request request;
    struct image_selection selection;
    struct image_row *rows;
    size_t count;
    struct lock lock;
    struct data *references; /* arguments that are no names of images but REPO:TAG: a list */
};

/* --plan, --only, --registry; --lock. */
extern const struct option image_row_options[];
extern const struct option image_lock_options[];
#define IMAGE_ROWS                                                                                 \
    {"Rows", image_row_options}, {"Stack, for one row of one image", stack_options},               \
    {                                                                                              \
        "How", image_lock_options                                                                  \
    }

/*
 * Does the work for the rows that the command line names. Exit 4 with the matrix's reasons where
 * one cannot be. The exit code of a result, or -1.
 */
TG_CHECKED int image_in_session(struct run *run, const struct image_work *work, struct err *err);
/* --mirror, --timeout. */
extern const struct option image_registry_options[];
/* --mirror, else the user's; or NULL. */
const char *image_mirror(const struct image_session *s);
/* Where it is noted what was rendered, in the user's cache; or NULL. */
const char *image_marks(const struct image_session *s);
/* Registries as the options have them; closed with the session. */
TG_CHECKED int image_registry(struct registry **out, struct image_session *s);

#endif

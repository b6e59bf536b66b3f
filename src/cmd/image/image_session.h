/* Base images on the command line: what `image` commands share. */
#pragma once

#include "base/err.h"
#include "cmd/common/opt.h"
#include "image/image_rows.h"
#include "image/lock.h"

struct image_plan;
struct registry;
struct run;

#define IMAGE_NAMES_MAX 1000

/* What a command does with its rows. */
enum image_work {
    IMAGE_LOCKS = 1,       /* makes the lock file */
    IMAGE_USES_BASES = 2,  /* makes something that stands on them, which should be known */
    IMAGE_BUILDS_HERE = 4, /* for this machine alone */
};

/* Rows of a command: which, from where, under which names. */
struct image_session {
    struct run *run;
    unsigned work; /* of enum image_work */
    struct err *err;
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
/* The groups that every command with rows has. */
/* clang-format off */
#define IMAGE_ROWS                                                                                 \
    {"Rows", image_row_options}, {"Stack, for one row of one image", stack_options},               \
    {"How", image_lock_options}
/* clang-format on */

/* The rows that the command line names. Exit 4 with the matrix's reasons where one cannot be. */
TG_CHECKED int image_open(struct image_session *out, struct run *run, unsigned work,
                          struct err *err);
/* --mirror, --timeout. */
extern const struct option image_registry_options[];
/* --mirror, else the user's; or NULL. */
const char *image_mirror(const struct run *run);
/* Where it is noted what was rendered, in the user's cache; or NULL. */
const char *image_marks(const struct image_session *s);
/* Registries as the options and the configuration have them, in run->http. */
TG_CHECKED int image_registry(struct registry **out, struct run *run, struct err *err);

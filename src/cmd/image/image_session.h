/* Base images on the command line: shared by the `image` commands. */
#pragma once

#include "base/err.h"
#include "cmd/common/opt.h"
#include "image/image_rows.h"
#include "image/lock.h"

struct image_plan;
struct registry;
struct run;

#define IMAGE_NAMES_MAX 1000

/* The purposes of a command with rows. */
enum image_work {
    IMAGE_LOCKS = 1,       /* makes the lock file */
    IMAGE_USES_BASES = 2,  /* makes something on top of bases, which the lock should have */
    IMAGE_BUILDS_HERE = 4, /* for this machine only */
};

/* The rows of a command: which, from where, under which names. */
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
    struct data *references; /* arguments of the form REPO:TAG, not names of images: a list */
};

/* --plan, --only, --registry; --lock. */
extern const struct option image_row_options[];
extern const struct option image_lock_options[];
/* The option groups of every command with rows. */
/* clang-format off */
#define IMAGE_ROWS                                                                                 \
    {"Rows", image_row_options}, {"Stack, for one row of one image", stack_options},               \
    {"How", image_lock_options}
/* clang-format on */

/* Finds the rows that the command line names. Exit 4 with the refusal where one has no stack. */
TG_CHECKED int image_open(struct image_session *out, struct run *run, unsigned work,
                          struct err *err);
/* --mirror, --timeout. */
extern const struct option image_registry_options[];
/* --mirror, else the configuration's; or NULL. */
const char *image_mirror(const struct run *run);
/* The folder for marks of renders, in the user's cache; or NULL. */
const char *image_marks(const struct image_session *s);
/* Opens registries by the options and the configuration, in run->http. */
TG_CHECKED int image_registry(struct registry **out, struct run *run, struct err *err);

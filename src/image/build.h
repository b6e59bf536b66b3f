/* Builds rows: first the builder's own work, then the checks of the image. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct catalog;
struct data;
struct engine;
struct image_row;
struct lock;

enum build_step { BUILD_IMAGE, BUILD_CONTENTS, BUILD_BUDGET, BUILD_TAG, BUILD_PUSH, BUILD_STEPS };
/* "build", "contents", "budget", "tag", "push". */
extern const char *const build_step_names[BUILD_STEPS];

enum build_status { BUILD_NOT_RUN, BUILD_INTERRUPTED, BUILD_FAILED, BUILD_DONE, BUILD_PUSHED };
/* "not-run", "interrupted", "failed", "built", "pushed". */
extern const char *const build_status_names[];

/* The result for a row. */
struct built {
    enum build_status status;
    enum build_step failed_step; /* the step that failed */
    const char *why;             /* or NULL */
    const char *instruction;     /* the Dockerfile's instruction that failed, or NULL */
    struct words last;           /* the last lines of output before a failure */
    const char *digest;          /* or NULL */
    int64_t bytes;               /* uncompressed; 0: unknown */
    int64_t seconds;
    struct data *packages; /* {STEP: [NAME==VERSION]}: packages in the image; or NULL */
};

/* Receives the progress; one call at a time, from any thread. */
struct build_watch {
    void (*began)(void *context, size_t row, enum build_step step);
    void (*line)(void *context, size_t row, const char *line);
    void (*ticked)(void *context); /* several times a second while anything runs */
    void (*ended)(void *context, size_t row, const struct built *built);
    void *context;
};

struct build_job {
    const struct catalog *catalog;
    const struct image_row *rows;
    size_t count;
    const struct lock *lock;
    const struct engine *engine;
    struct words arguments; /* K=V for the builder */
    const char *mirror;     /* HOST[/PATH] for Docker Hub's images, or NULL */
    size_t at_once;
    bool build;                      /* else the image was built before, and is only pushed */
    bool push;                       /* push images that pass */
    bool fresh;                      /* find packages anew, ignoring the lock's */
    bool want_packages;              /* find out what pip installed */
    const char *epoch;               /* SOURCE_DATE_EPOCH, or NULL */
    const struct build_watch *watch; /* or NULL */
};

/*
 * Builds all rows, `at_once` of them at a time; a failure stops only its own row. An image gets its
 * name only when every check of it has passed. `*out` has one result for each row. -1 where nothing
 * could begin, or where a signal came: then the builders are stopped.
 */
TG_CHECKED int image_build(struct built **out, struct arena *arena, const struct build_job *job,
                           struct err *err);

/*
 * Chooses the engine of that name, else of TMPLGEN_ENGINE, else the first usable one of docker with
 * buildx, buildah and podman. Exit 2 for another name; 1, "no-engine", where none is usable, or not
 * the named one.
 */
TG_CHECKED int engine_choose(const struct engine **out, const char *name, struct err *err);

/* ------------------------------------------------------------------ sizes */

struct layer_size {
    int64_t bytes;                   /* uncompressed */
    const char *digest;              /* or NULL: not known */
    const struct image_row **shared; /* other rows with this layer; NULL after the last */
    bool counted;                    /* an earlier row has it */
};

struct image_size {
    bool known;                /* the engine has an image of that name */
    int64_t bytes;             /* of all layers */
    struct layer_size *layers; /* the base's first */
    size_t layer_count;
};

/*
 * Asks the engine for all rows by their names; `*out` has one entry for each. An image that the
 * engine lacks is not `known`; -1 where the engine fails in any other way.
 */
TG_CHECKED int image_sizes(struct image_size **out, struct arena *arena,
                           const struct engine *engine, const struct image_row *rows, size_t count,
                           struct err *err);

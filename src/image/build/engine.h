/* Programs that build images: docker with buildx, buildah, podman. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;
struct data;
struct process_watch;

/* Whose commands they are, where they allocate, and who hears what they print. */
struct engine_job {
    const struct engine *engine;
    struct arena *arena;
    const struct process_watch *watch;
    struct err *err;
};

struct engine_build {
    const char *context;    /* the folder with the Dockerfile */
    const char *id_file;    /* where the builder writes what it made */
    struct words arguments; /* K=V */
    const char *epoch;      /* SOURCE_DATE_EPOCH, or NULL */
    bool plain_http;        /* the base's registry is on this machine */
};

struct engine_layer {
    const char *digest; /* of what it unpacks to, or NULL where the engine does not tell */
    int64_t bytes;
};

/* An image as the builder has it. */
struct engine_image {
    const char *digest; /* of its manifest, or its id where the builder has none before a push */
    int64_t bytes;      /* uncompressed */
    struct engine_layer *layers; /* the base's first */
    size_t layer_count;
};

struct engine {
    const char *name;
    const char *const *probe;  /* a command that succeeds where the engine can be used */
    const char *const *daemon; /* and one that its daemon answers; or NULL: it has none */
    TG_CHECKED int (*build)(const struct engine_job *job, const struct engine_build *what);
    /* A command in a container of `image`, as the image's user; `*status` is the command's. */
    TG_CHECKED int (*run)(int *status, const struct engine_job *job, const char *image,
                          const struct words *command);
    TG_CHECKED int (*describe)(struct engine_image *out, const struct engine_job *job,
                               const char *image);
    TG_CHECKED int (*tag)(const struct engine_job *job, const char *image, const char *name);
    /* `*digest`: of the manifest in the registry, or NULL where the engine does not say. */
    TG_CHECKED int (*push)(const char **digest, const struct engine_job *job, const char *name,
                           const char *id_file, bool plain_http);
};

extern const struct engine buildah_engine, docker_engine, podman_engine;

/* ------------------------------------------------------------------ what the engines share */

/* A command line that grows; NULL behind the last word. */
struct command_line {
    struct arena *arena;
    const char **words;
    size_t count;
};

/* The line of `words`, one at least and NULL behind the last, as WORDS has them. */
struct command_line command_line(struct arena *arena, const char *const *words);
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
void command_add(struct command_line *line, const char *word);
void command_add_all(struct command_line *line, const struct words *words);
/* Runs it under the job's watch. Exit 1, "engine", where it cannot run or fails. */
TG_CHECKED int command_run(const struct engine_job *job, const struct command_line *line);
/* The same, but that a failure of the command is `*status`. */
TG_CHECKED int command_status(int *status, const struct engine_job *job,
                              const struct command_line *line);
/* Runs it whatever signal comes, for what must not be left behind. As command_run; nothing is
 * heard. */
TG_CHECKED int command_tidy(const struct engine_job *job, const struct command_line *line);
/* What all but docker do to build and to push, and all to tag: see struct engine. */
TG_CHECKED int command_build(const struct engine_job *job, const struct engine_build *what);
TG_CHECKED int command_push(const char **digest, const struct engine_job *job, const char *name,
                            const char *id_file, bool plain_http);
TG_CHECKED int command_tag(const struct engine_job *job, const char *image, const char *name);
/* A name for a container, that no other run takes; in the job's arena. */
const char *command_container(const struct engine_job *job);
/* What it prints, without the line's end; exit 1 where it fails. */
TG_CHECKED int command_text(const char **out, const struct engine_job *job,
                            const struct command_line *line);
/* What it prints, as JSON. */
TG_CHECKED int command_json(struct data **out, const struct engine_job *job,
                            const struct command_line *line);
/* What an engine said is not what it should be: the error is the engine's, not the user's. -1. */
int command_garbled(const struct engine_job *job);
/* A size that an engine tells, as a number or as text; 0 for what cannot be one. */
int64_t command_bytes(const struct data *data);

/*
 * Appends a line without escape sequences, with user and password of each URL as "***", and with
 * everything else masked that a terminal may take for more than text.
 */
void builder_output_line(struct buf *out, const char *line);
/* Whether the line says that there is no such image, in the words of buildah, podman and docker. */
bool builder_output_is_unknown(const char *line);

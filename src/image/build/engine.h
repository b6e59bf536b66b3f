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

/* The engine that runs the commands, their memory, and the receiver of their output. */
struct engine_job {
    const struct engine *engine;
    struct arena *arena;
    const struct process_watch *watch;
    struct err *err;
};

struct engine_build {
    const char *context;    /* the folder with the Dockerfile */
    const char *id_file;    /* the file to which the builder writes the image's id */
    struct words arguments; /* K=V */
    const char *epoch;      /* SOURCE_DATE_EPOCH, or NULL */
    bool plain_http;        /* the base's registry is on this machine */
};

struct engine_layer {
    const char *digest; /* of its unpacked content; NULL: the engine does not tell */
    int64_t bytes;
};

/* An image in the builder's store. */
struct engine_image {
    const char *digest; /* of its manifest; its id where the builder has no digest before a push */
    int64_t bytes;      /* uncompressed */
    struct engine_layer *layers; /* the base's first */
    size_t layer_count;
};

struct engine {
    const char *name;
    const char *const *probe;  /* a command that succeeds where the engine is usable */
    const char *const *daemon; /* one that needs its daemon; NULL: it has none */
    TG_CHECKED int (*build)(const struct engine_job *job, const struct engine_build *what);
    /* Runs a command in a container of `image`, as the image's user; `*status` is its exit code. */
    TG_CHECKED int (*run)(int *status, const struct engine_job *job, const char *image,
                          const struct words *command);
    TG_CHECKED int (*describe)(struct engine_image *out, const struct engine_job *job,
                               const char *image);
    TG_CHECKED int (*tag)(const struct engine_job *job, const char *image, const char *name);
    /* `*digest` is that of the manifest in the registry; NULL: the engine does not tell. */
    TG_CHECKED int (*push)(const char **digest, const struct engine_job *job, const char *name,
                           const char *id_file, bool plain_http);
};

extern const struct engine buildah_engine, docker_engine, podman_engine;

/* ------------------------------------------------------------------ shared by the engines */

/* A growing command line; NULL after the last word. */
struct command_line {
    struct arena *arena;
    const char **words;
    size_t count;
};

/* Makes the line of `words`, at least one and NULL after the last, as WORDS has them. */
struct command_line command_line(struct arena *arena, const char *const *words);
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
void command_add(struct command_line *line, const char *word);
void command_add_all(struct command_line *line, const struct words *words);
/* Runs it under the job's watch. Exit 1, "engine", where it cannot run or fails. */
TG_CHECKED int command_run(const struct engine_job *job, const struct command_line *line);
/* The same, but the command's failure is only `*status`. */
TG_CHECKED int command_status(int *status, const struct engine_job *job,
                              const struct command_line *line);
/* Runs it whatever signal comes, for what must not be left behind. As command_run; nothing is
 * heard. */
TG_CHECKED int command_tidy(const struct engine_job *job, const struct command_line *line);
/* Building and pushing, for all engines but docker, and tagging, for all: see struct engine. */
TG_CHECKED int command_build(const struct engine_job *job, const struct engine_build *what);
TG_CHECKED int command_push(const char **digest, const struct engine_job *job, const char *name,
                            const char *id_file, bool plain_http);
TG_CHECKED int command_tag(const struct engine_job *job, const char *image, const char *name);
/* A container name that no other run uses; in the job's arena. */
const char *command_container(const struct engine_job *job);
/* The command's output without the line's end; exit 1 where it fails. */
TG_CHECKED int command_text(const char **out, const struct engine_job *job,
                            const struct command_line *line);
/* The command's output as JSON. */
TG_CHECKED int command_json(struct data **out, const struct engine_job *job,
                            const struct command_line *line);
/* Reports unexpected output of an engine: the error is the engine's, not the user's. Returns -1. */
int command_garbled(const struct engine_job *job);
/* Reads an engine's size, a number or a text; 0 for an impossible one. */
int64_t command_bytes(const struct data *data);

/*
 * Appends a line without escape sequences. User and password of each URL become "***", and
 * everything else that a terminal may interpret is masked.
 */
void builder_output_line(struct buf *out, const char *line);
/* True where the line, from buildah, podman or docker, tells that there is no such image. */
bool builder_output_is_unknown(const char *line);

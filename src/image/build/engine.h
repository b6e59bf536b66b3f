/* Programs that build images: docker with buildx, buildah, podman. */
#ifndef TMPLGEN_ENGINE_H
#define TMPLGEN_ENGINE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct engine;
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

#endif

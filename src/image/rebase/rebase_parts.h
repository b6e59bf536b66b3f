/* The parts of a rebase: documents, the writes of steps, systems. Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct image_reference;

/* One image: its manifest and its config. */
struct rebase_image {
    const struct data *manifest; /* the document */
    const char *media_type;      /* of the manifest */
    const struct data *config;
    const char *name; /* for messages, and for labels: "REPO:TAG@DIGEST" */
};

/* A label of a config, or NULL. */
const char *rebase_label(const struct data *config, const char *name);
/* The environment of a config as a map, in the arena. */
struct data *rebase_env(struct arena *arena, const struct data *config);
/* The number of layers in the config; -1 where it does not list them in order. */
TG_CHECKED int rebase_layer_count(size_t *out, const struct rebase_image *image, struct err *err);
/* Exit 3, "unproven-base", where the layers of `base` are not the lowest of `image`. */
TG_CHECKED int rebase_is_below(const struct rebase_image *base, const struct rebase_image *image,
                               struct err *err);
/*
 * Finds where the image's own steps begin in its history, after those of `old`, which is proven to
 * be below it. False: its history does not cover every layer.
 */
bool rebase_own_history(size_t *from, const struct rebase_image *image,
                        const struct rebase_image *old);
/*
 * The config of `image` with `new` for `old`, which is proven to be below it: layers, history, and
 * those of environment, labels and the rest that the image has unchanged from its base. `labels`
 * are set last.
 */
struct data *rebase_config(struct arena *arena, const struct rebase_image *image,
                           const struct rebase_image *old, const struct rebase_image *new,
                           const struct data *labels);
/*
 * The manifest likewise, of the image's own family (docker's or OCI's); `config` is the new
 * config's descriptor. Exit 3, "missing-layers", where the family has no form for a layer of the
 * new base.
 */
TG_CHECKED int rebase_manifest(struct data **out, struct arena *arena,
                               const struct rebase_image *image, const struct rebase_image *old,
                               const struct rebase_image *new, const struct data *config,
                               struct err *err);
/* Sets the new base's name in a manifest's or an index's annotations, where they have one. */
void rebase_annotations(struct arena *arena, struct data *document, const char *name,
                        const char *digest);

/* ------------------------------------------------------------------ writes of a history's steps */

/* The settings by earlier steps, on which a step's meaning depends. */
struct rebase_place {
    struct arena *arena;
    const char *folder; /* the WORKDIR; NULL: the base's, which is not known */
    bool has_python;    /* the environment was copied to its place in templates */
    bool has_path;      /* and PATH begins with it */
    bool is_strange;    /* a setting redirects pip or the shell */
};

enum rebase_wrote {
    REBASE_WROTE_NOTHING,
    REBASE_WROTE_OTHERS, /* and no file where its base may have some */
    REBASE_WROTE_UNKNOWN,
};

/* The place before the first step of an image on a base with this config. */
struct rebase_place rebase_place_on(struct arena *arena, const struct data *base_config);
/* Judges one step after the other, and updates `place`. The text is foreign. */
enum rebase_wrote rebase_wrote(struct rebase_place *place, const char *created_by);
/* True for the label that lists the files written up to its step. */
#define REBASE_LABEL_WRITES "tmplgen.writes"
bool rebase_step_speaks(struct arena *arena, const char *created_by);
/* True for a whole path in a folder that distributions leave to others: no base has files there. */
bool rebase_is_left_to_others(struct arena *arena, const char *path);

/* ------------------------------------------------------------------ the system below an image */

/* NULL: not known. */
struct rebase_system {
    const char *os;   /* "ubuntu24.04" */
    const char *cuda; /* "13.0.3", or "none" */
};

/*
 * Finds the system by rank: labels of tmplgen; OCI's labels and CUDA_VERSION; the tag, where it is
 * one of nvidia/cuda. An image with a known distribution and no trace of CUDA has none.
 */
struct rebase_system rebase_system_of(struct arena *arena, const struct data *config,
                                      const struct image_reference *reference);
/*
 * Why an image built on `old` is not known to run on `new`, in the arena; NULL where it does: one
 * distribution release, one CUDA minor, and none of its parts gone. The configs are those of the
 * two bases.
 */
const char *rebase_system_refusal(struct arena *arena, const struct rebase_system *old,
                                  const struct data *old_config, const struct rebase_system *new,
                                  const struct data *new_config);

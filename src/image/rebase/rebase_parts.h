/* The parts of a rebase: documents, what steps wrote, systems. Pure. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct image_reference;

/* One image: what its manifest and its config hold. */
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
/* How many layers the config lists; -1 where it lists none in order. */
TG_CHECKED int rebase_layer_count(size_t *out, const struct rebase_image *image, struct err *err);
/* Exit 3, "unproven-base": the layers of `base` are not the lowest of `image`. */
TG_CHECKED int rebase_is_below(const struct rebase_image *base, const struct rebase_image *image,
                               struct err *err);
/*
 * Where the image's own steps begin in its history, behind those of `old`, which is proven to be
 * below it; false: its history does not tell of every layer.
 */
bool rebase_own_history(size_t *from, const struct rebase_image *image,
                        const struct rebase_image *old);
/*
 * The config of `image` with `new` for `old`, which is proven to be below it: layers, history, and
 * what the image has unchanged from its base of environment, labels and the rest. `labels`: what is
 * put last.
 */
struct data *rebase_config(struct arena *arena, const struct rebase_image *image,
                           const struct rebase_image *old, const struct rebase_image *new,
                           const struct data *labels);
/*
 * The manifest likewise, of the image's own family (docker's or OCI's); `config` is the new
 * config's descriptor. Exit 3, "missing-layers", where a layer of the new base is of a kind that
 * the family has not.
 */
TG_CHECKED int rebase_manifest(struct data **out, struct arena *arena,
                               const struct rebase_image *image, const struct rebase_image *old,
                               const struct rebase_image *new, const struct data *config,
                               struct err *err);
/* A manifest's or an index's annotations with the new base's name, where they had one. */
void rebase_annotations(struct arena *arena, struct data *document, const char *name,
                        const char *digest);

/* ------------------------------------------------------------------ what a history's steps wrote
 */

/* What the steps before have set: a step means another thing elsewhere. */
struct rebase_place {
    struct arena *arena;
    const char *folder; /* the WORKDIR; NULL: the base's, which nobody knows */
    bool has_python;    /* the environment was copied to where templates have it */
    bool has_path;      /* and PATH begins with it */
    bool is_strange;    /* a setting leads pip or the shell elsewhere */
};

enum rebase_wrote {
    REBASE_WROTE_NOTHING,
    REBASE_WROTE_OTHERS, /* and no file where its base may have some */
    REBASE_WROTE_UNKNOWN,
};

/* Before the first step of an image on a base with this config. */
struct rebase_place rebase_place_on(struct arena *arena, const struct data *base_config);
/* One step after the other: `place` is what it is after it. The text is from outside. */
enum rebase_wrote rebase_wrote(struct rebase_place *place, const char *created_by);
/* Is it the label that tells what was written until then? */
#define REBASE_LABEL_WRITES "tmplgen.writes"
bool rebase_step_speaks(struct arena *arena, const char *created_by);
/* A whole path in a folder that distributions leave to others: nothing of a base is there. */
bool rebase_is_left_to_others(struct arena *arena, const char *path);

/* ------------------------------------------------------------------ the system below an image */

/* NULL: nobody knows. */
struct rebase_system {
    const char *os;   /* "ubuntu24.04" */
    const char *cuda; /* "13.0.3", or "none" */
};

/*
 * By rank: labels of tmplgen; OCI's labels and CUDA_VERSION; the tag, where it is one of
 * nvidia/cuda. An image whose distribution is known and that has no trace of CUDA has none.
 */
struct rebase_system rebase_system_of(struct arena *arena, const struct data *config,
                                      const struct image_reference *reference);
/*
 * Why what was built on `old` is not known to run on `new`, in the arena, or NULL where it does:
 * one distribution release, one CUDA minor, and none of its parts gone. The configs are those of
 * the two bases.
 */
const char *rebase_system_refusal(struct arena *arena, const struct rebase_system *old,
                                  const struct data *old_config, const struct rebase_system *new,
                                  const struct data *new_config);

/* An image's config and manifest on the layers of another base. Pure. */
#ifndef TMPLGEN_REBASE_SPLICE_H
#define TMPLGEN_REBASE_SPLICE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;

/* One image: what its manifest and its config hold. */
struct rebase_image {
    const struct data *manifest; /* the document */
    const char *media_type;      /* of the manifest */
    const struct data *config;
    const char *name; /* for messages, and for labels: "REPO:TAG@DIGEST" */
};

/* A label of a config, or NULL. */
const char *rebase_label(const struct data *config, const char *name);
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

#endif

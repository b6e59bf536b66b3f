/* Moves a pushed image to another base: exchanges layers by the registry's API, pulls none. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct registry;

struct image_rebased {
    const char *from, *to; /* the bases, "REPO:TAG@DIGEST" */
    const char *digest;    /* of the image on the new base, made or not */
    const char *tag;       /* the tag, put or not; NULL: it has only its digest */
    bool already;          /* it is on that base already; nothing was done */
    size_t attestations;   /* attestations left behind: they are about the old image */
    /* {platform, digest, removed, added, kept} for each platform, the last three numbers of layers
     */
    struct data *layers;
};

/*
 * Moves the image `name` to the base `onto`, all its platforms or none. The tag comes last: a
 * failure on the way leaves the image as it was. With `check` nothing is written. Exit 3 where it
 * cannot be proven safe: "unproven-base", "changed-base", "other-base", "missing-platform",
 * "missing-layers" (they are not in the image's registry), "changed-meanwhile"; 1 where a registry
 * cannot be asked.
 */
TG_CHECKED int image_rebase(struct image_rebased *out, struct arena *arena,
                            struct registry *registry, const char *name, const char *onto,
                            bool check, struct err *err);

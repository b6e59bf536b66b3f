/* A pushed image on another base: layers exchanged through the registry's API, none pulled. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct registry;

struct image_rebased {
    const char *from, *to; /* the bases, "REPO:TAG@DIGEST" */
    const char *digest;    /* of the image as it is, or would be, on the new base */
    const char *tag;       /* where it was put, or would be; NULL: it has only its digest */
    bool already;          /* it is on that base; nothing was done */
    size_t attestations;   /* how many were left behind: they are about the old image */
    /* {platform, digest, removed, added, kept} for each platform, the last three numbers of layers
     */
    struct data *layers;
};

/*
 * Puts the image `name` onto the base `onto`, all its platforms or none. The tag comes last: what
 * fails on the way leaves the image as it was. `check`: nothing is written. Exit 3 where it cannot
 * be proven safe: "unproven-base", "changed-base", "other-base", "missing-platform",
 * "missing-layers" (they are not in the image's registry), "changed-meanwhile"; 1 where a registry
 * cannot be asked.
 */
TG_CHECKED int image_rebase(struct image_rebased *out, struct arena *arena,
                            struct registry *registry, const char *name, const char *onto,
                            bool check, struct err *err);

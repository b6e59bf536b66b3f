/* An OCI registry's API: manifests by tag or digest, platforms, small blobs. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "registry/image_manifest.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct http;
struct image_reference;
struct registry;

/*
 * Opens the registries of a run, in the arena. Credentials come from REGISTRY_AUTH_FILE, docker's
 * config.json or podman's auth.json, and go only to their registry and to token servers of the same
 * domain. A registry on this machine may use plain HTTP. Exit 2 if a credentials file exists but
 * cannot be read.
 */
TG_CHECKED int registry_open(struct registry **out, struct arena *arena, struct http *http,
                             struct err *err);
/*
 * From now on looks for docker.io's images below `mirror`, "HOST[/PATH]": as HOST/PATH/nvidia/cuda,
 * HOST/PATH/library/ubuntu. NULL or "": no mirror. Exit 2 if it is invalid.
 */
TG_CHECKED int registry_set_mirror(struct registry *registry, const char *mirror, struct err *err);
/* Whether the image is looked for below the mirror. */
bool registry_is_mirrored(const struct registry *registry, const struct image_reference *reference);

enum image_presence { IMAGE_FAILED, IMAGE_THERE, IMAGE_GONE };

/* A manifest to look for. */
struct registry_question {
    const struct image_reference *reference;
    enum image_presence presence;
    struct registry_manifest manifest; /* if it exists */
    const char *failure;               /* why the answer is unknown or wrong; with a hint */
};

/*
 * Looks for all manifests in parallel, and gets only their digests. No body is fetched if the
 * headers are proof: a manifest's media type, a digest, and a server that identifies as a registry.
 * Otherwise the manifest is fetched, and must be one with that digest; so is one of those proved by
 * headers (not each: registries count pulls). Returns -1 only if the run ended.
 */
TG_CHECKED int registry_look(struct registry *registry, struct registry_question *questions,
                             size_t count, struct err *err);

/*
 * Fetches all manifests, in parallel up to the limit of `http`, checking each as registry_manifest
 * does. A failure does not stop the others. Returns -1 only if the run ended.
 */
TG_CHECKED int registry_manifests(struct registry *registry, struct registry_question *questions,
                                  size_t count, struct err *err);
/* Exit 1: "network", "not-found", "answer" (wrong digest, or not a manifest), "limit". */
TG_CHECKED int registry_manifest(struct registry_manifest *out, struct registry *registry,
                                 const struct image_reference *reference, struct err *err);
/*
 * The platforms of an image, sorted by name, with the manifest of each: from an index without
 * attestations, or for a plain manifest from its config, which is fetched. `reference` is the
 * source of `manifest`. Exit 1 as above; "answer" also if there is no platform, and for an index
 * inside an index.
 */
TG_CHECKED int registry_platforms(struct registry_platform **out, size_t *count,
                                  struct registry *registry,
                                  const struct image_reference *reference,
                                  const struct registry_manifest *manifest, struct err *err);
/*
 * The config of a manifest (not an index), as data. Exit 1: "limit" if it exceeds
 * LIMIT_HTTP_JSON_BYTES, "not-found" if it is missing.
 */
TG_CHECKED int registry_config(struct data **out, struct registry *registry,
                               const struct image_reference *reference,
                               const struct registry_manifest *manifest, struct err *err);

/*
 * Writing: layers that the registry already has, small blobs, manifests. Layers are never uploaded,
 * only referenced. All fail with exit 1, "network" or "answer".
 */

/* A blob that a repository needs. */
struct registry_need {
    const char *digest;
    bool there;
};

/* Are the two repositories on one registry, so that blobs can be mounted? */
bool registry_is_same_host(const struct registry *registry, const struct image_reference *a,
                           const struct image_reference *b);
/* Finds out in parallel which blobs the repository has. */
TG_CHECKED int registry_have_blobs(struct registry *registry,
                                   const struct image_reference *repository,
                                   struct registry_need *needs, size_t count, struct err *err);
/*
 * Mounts missing blobs from another repository of the same registry, and updates `there`. A
 * registry may decline; that is not an error.
 */
TG_CHECKED int registry_mount(struct registry *registry, const struct image_reference *repository,
                              const struct image_reference *from, struct registry_need *needs,
                              size_t count, struct err *err);
/* Uploads a small blob with this digest, unless it exists. */
TG_CHECKED int registry_upload(struct registry *registry, const struct image_reference *repository,
                               struct span bytes, const char *digest, struct err *err);
/*
 * Stores a manifest's exact bytes under the reference's tag, or under its digest if there is no
 * tag. "answer" if the registry reports another digest.
 */
TG_CHECKED int registry_put_manifest(struct registry *registry,
                                     const struct image_reference *reference,
                                     const struct registry_manifest *manifest, struct err *err);

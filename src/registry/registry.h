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
 * All registries of one run, in the arena; credentials come from REGISTRY_AUTH_FILE, docker's
 * config.json or podman's auth.json, and go to the registry that they are for and to token servers
 * of the same domain. A registry on this machine may speak plain HTTP. Exit 2 where such a file is
 * there and cannot be read.
 */
TG_CHECKED int registry_open(struct registry **out, struct arena *arena, struct http *http,
                             struct err *err);
/*
 * From now on references of docker.io are looked for below `mirror`, "HOST[/PATH]": as
 * HOST/PATH/nvidia/cuda, HOST/PATH/library/ubuntu. NULL or "": they are not. Exit 2.
 */
TG_CHECKED int registry_set_mirror(struct registry *registry, const char *mirror, struct err *err);
/* Is it looked for below the mirror? */
bool registry_is_mirrored(const struct registry *registry, const struct image_reference *reference);

enum image_presence { IMAGE_FAILED, IMAGE_THERE, IMAGE_GONE };

/* One manifest that is asked for. */
struct registry_question {
    const struct image_reference *reference;
    enum image_presence presence;
    struct registry_manifest manifest; /* where it is there */
    const char *failure; /* why nobody knows, or what is wrong with what came; with its hint */
};

/*
 * Looks for all, several at once; of what is there only the digest is told. No content is asked for
 * where the head of an answer proves it: a manifest's media type, a digest, and a server that says
 * that it speaks a registry's API. Else the manifest is fetched and must be one, of the digest that
 * was said; so is, once, one of those that a head proves (not each: registries count how many
 * manifests one pulls). -1 only where the run ended.
 */
TG_CHECKED int registry_look(struct registry *registry, struct registry_question *questions,
                             size_t count, struct err *err);

/*
 * Asks for all, as many at once as the http allows (`parallel`), each checked as by
 * registry_manifest; one that fails does not stop the others. -1 only where the run ended.
 */
TG_CHECKED int registry_manifests(struct registry *registry, struct registry_question *questions,
                                  size_t count, struct err *err);
/* Exit 1: "network", "not-found", "answer" (not what its digest says, or no manifest), "limit". */
TG_CHECKED int registry_manifest(struct registry_manifest *out, struct registry *registry,
                                 const struct image_reference *reference, struct err *err);
/*
 * Which platforms an image is for, by name, with the manifest of each: as its index says, without
 * attestations; of a plain manifest as its config says, which is fetched. `reference` is where
 * `manifest` came from. Exit 1 as above; "answer" also where it is for none, and for an index
 * inside an index.
 */
TG_CHECKED int registry_platforms(struct registry_platform **out, size_t *count,
                                  struct registry *registry,
                                  const struct image_reference *reference,
                                  const struct registry_manifest *manifest, struct err *err);
/*
 * The config of a manifest that is no index, as data. Exit 1; "limit" where it is larger than
 * LIMIT_HTTP_JSON_BYTES, "not-found" where it is not there.
 */
TG_CHECKED int registry_config(struct data **out, struct registry *registry,
                               const struct image_reference *reference,
                               const struct registry_manifest *manifest, struct err *err);

/*
 * To write: layers that a registry has already, small blobs, manifests. Layers are never sent, only
 * named. Exit 1, with "network" or "answer", everywhere.
 */

/* A blob that a repository shall have. */
struct registry_need {
    const char *digest;
    bool there;
};

/* Are the two repositories on one registry, so that blobs can be mounted? */
bool registry_is_same_host(const struct registry *registry, const struct image_reference *a,
                           const struct image_reference *b);
/* Which of them the repository has; all are asked for at once. */
TG_CHECKED int registry_have_blobs(struct registry *registry,
                                   const struct image_reference *repository,
                                   struct registry_need *needs, size_t count, struct err *err);
/*
 * Has the registry take those that are not there from another repository of its own; `there` says
 * afterwards which it took. A registry may decline: that is no error.
 */
TG_CHECKED int registry_mount(struct registry *registry, const struct image_reference *repository,
                              const struct image_reference *from, struct registry_need *needs,
                              size_t count, struct err *err);
/* Sends a small blob of this digest, unless it is there. */
TG_CHECKED int registry_upload(struct registry *registry, const struct image_reference *repository,
                               struct span bytes, const char *digest, struct err *err);
/*
 * Puts a manifest's exact bytes under the reference's tag, or under its digest where it names none.
 * "answer" where the registry says that they became something else.
 */
TG_CHECKED int registry_put_manifest(struct registry *registry,
                                     const struct image_reference *reference,
                                     const struct registry_manifest *manifest, struct err *err);

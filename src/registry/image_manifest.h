/* Parses a registry's answers: manifests, indexes, configs. Pure. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct data;

#define MEDIA_OCI_INDEX "application/vnd.oci.image.index.v1+json"
#define MEDIA_OCI_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define MEDIA_DOCKER_LIST "application/vnd.docker.distribution.manifest.list.v2+json"
#define MEDIA_DOCKER_MANIFEST "application/vnd.docker.distribution.manifest.v2+json"

struct registry_manifest {
    const char *digest;     /* verified against the bytes */
    const char *media_type; /* one of the four above: as declared, or derived from the content */
    struct span bytes;
    struct data *document; /* an index or a manifest */
};

/* The descriptor of a blob in a manifest, or of a manifest in an index. */
struct registry_descriptor {
    const char *media_type; /* "" if not declared */
    const char *digest;
    int64_t size;
};

/* One image of an index. */
struct registry_platform {
    const char *name; /* "linux/amd64", "linux/arm/v7" */
    struct registry_descriptor manifest;
};

/*
 * `name` is for messages; `type` is the registry's Content-Type, or NULL; `wanted` is the required
 * digest, or NULL. Exit 1, "answer" or "limit", for bytes with another digest, invalid JSON, a
 * document that is both index and manifest, one whose declared type differs from the registry's or
 * from its content, and manifests of version 1.
 */
TG_CHECKED int registry_read_manifest(struct registry_manifest *out, struct arena *arena,
                                      const char *name, const char *type, struct span bytes,
                                      const char *wanted, struct err *err);
/* Is a Content-Type (or NULL) that of a manifest or an index? */
bool registry_is_media(struct arena *arena, const char *type);
bool registry_is_index(const struct registry_manifest *manifest);
TG_CHECKED int registry_read_descriptor(struct registry_descriptor *out, const char *name,
                                        const struct data *from, struct err *err);
/*
 * The images of an index, sorted by name, without attestations; the first of two for one platform.
 * Exit 1, "answer"; also for an index inside the index.
 */
TG_CHECKED int registry_read_platforms(struct registry_platform **out, size_t *count,
                                       struct arena *arena, const char *name,
                                       const struct registry_manifest *index, struct err *err);
/* The platform ("linux/amd64") of a config, or of a `platform` in an index; NULL if not given. */
const char *registry_platform_name(struct arena *arena, const struct data *from);
/* Any document; exit 1, "answer" or "limit", with the name in the message. */
TG_CHECKED int registry_read_json(struct data **out, struct arena *arena, const char *name,
                                  struct span bytes, size_t max, struct err *err);

/* What a registry answers, read: manifests, indexes, configs. Pure. */
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
    const char *digest;     /* of the bytes, which were checked against it */
    const char *media_type; /* one of the four above: as it says, or as its content is */
    struct span bytes;
    struct data *document; /* an index or a manifest */
};

/* What a manifest says of a blob, or an index of a manifest. */
struct registry_descriptor {
    const char *media_type; /* "" where it says none */
    const char *digest;
    int64_t size;
};

/* One image of an index. */
struct registry_platform {
    const char *name; /* "linux/amd64", "linux/arm/v7" */
    struct registry_descriptor manifest;
};

/*
 * `name` is for messages; `type`: what the registry said that it is, or NULL; `wanted`: the digest
 * that it must have, or NULL. Exit 1, "answer" or "limit": bytes of another digest, no JSON, an
 * index that is a manifest as well, one that says to be something else than the registry says or
 * than it holds, manifests of version 1.
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
 * The images of an index, by name, without attestations; of two for one platform the first. Exit 1,
 * "answer", also for an index inside the index.
 */
TG_CHECKED int registry_read_platforms(struct registry_platform **out, size_t *count,
                                       struct arena *arena, const char *name,
                                       const struct registry_manifest *index, struct err *err);
/* "linux/amd64" of a config, or of what is called platform in an index; NULL: it says none. */
const char *registry_platform_name(struct arena *arena, const struct data *from);
/* Any document; exit 1, "answer" or "limit", with the name in the message. */
TG_CHECKED int registry_read_json(struct data **out, struct arena *arena, const char *name,
                                  struct span bytes, size_t max, struct err *err);

/* An OCI registry's API: manifests by tag or digest, tag lists, tokens. */
#ifndef TMPLGEN_REGISTRY_REGISTRY_H
#define TMPLGEN_REGISTRY_REGISTRY_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
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

enum image_presence { IMAGE_FAILED, IMAGE_THERE, IMAGE_GONE };

/* One image that is looked for. */
struct registry_image {
    struct image_reference *reference;
    enum image_presence presence;
    const char *digest; /* of its manifest, as the registry says; or NULL */
    const char *failure;
};

/* Looks for all, several at once; asks for no content. -1 only where the run ended. */
TG_CHECKED int registry_look(struct registry *registry, struct registry_image *images, size_t count,
                             struct err *err);

struct registry_manifest {
    const char *digest; /* of the bytes that came, which are checked against it */
    const char *media_type;
    struct span bytes;
    struct data *document; /* an index or a manifest */
};

/* Exit 1: "network", "not-found", "answer" (not what its digest says, or no manifest), "limit". */
TG_CHECKED int registry_manifest(struct registry_manifest *out, struct registry *registry,
                                 const struct image_reference *reference, struct err *err);
/* The tags of a repository, as the registry lists them, over all pages. */
TG_CHECKED int registry_tags(const char ***tags, size_t *count, struct registry *registry,
                             const struct image_reference *repository, struct err *err);

/* Reading of answers, by itself: a manifest, and one page of tags, appended to a list of texts. */
TG_CHECKED int registry_read_manifest(struct registry_manifest *out, struct arena *arena,
                                      const char *name, struct span bytes, const char *wanted,
                                      struct err *err);
TG_CHECKED int registry_read_tags(struct data *list, struct arena *arena, const char *name,
                                  struct span bytes, struct err *err);
/* A parameter of `Bearer realm="...",service="..."`, in the arena, or NULL. */
const char *registry_challenge(struct arena *arena, const char *header, const char *scheme,
                               const char *parameter);

#endif

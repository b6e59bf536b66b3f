/*
 * An OCI registry's API, to write: layers that it has already, small blobs, manifests. Layers are
 * never sent, only named. Exit 1, with "network" or "answer", everywhere.
 */
#ifndef TMPLGEN_PUSH_H
#define TMPLGEN_PUSH_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct image_reference;
struct registry;
struct registry_manifest;

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

#endif

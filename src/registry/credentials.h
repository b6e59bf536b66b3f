/* What the user's container tools know of registries: user names and passwords. */
#ifndef TMPLGEN_REGISTRY_CREDENTIALS_H
#define TMPLGEN_REGISTRY_CREDENTIALS_H

#include "base/err.h"

struct arena;
struct data;

/*
 * The first that is there of REGISTRY_AUTH_FILE, $DOCKER_CONFIG/config.json,
 * ~/.docker/config.json and $XDG_RUNTIME_DIR/containers/auth.json, as data; NULL: none is.
 */
TG_CHECKED int credentials_load(struct data **out, struct arena *arena, struct err *err);
/* "Basic ..." for a registry's host, in the arena, or NULL. */
const char *credentials_for(struct arena *arena, const struct data *file, const char *host);

#endif

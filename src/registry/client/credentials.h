/* What the user's container tools know of registries: user names, passwords, identity tokens. */
#ifndef TMPLGEN_CREDENTIALS_H
#define TMPLGEN_CREDENTIALS_H

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct credentials;
struct data;

/* Of one registry; texts in the arena. All NULL: nothing is known. */
struct credential {
    const char *basic;    /* "Basic ..." */
    const char *identity; /* a token that token servers exchange for theirs */
    const char *failure;  /* what the helper that should know it did instead */
};

/*
 * Reads what is there of $DOCKER_CONFIG/config.json or ~/.docker/config.json, and podman's
 * $XDG_RUNTIME_DIR/containers/auth.json and ~/.config/containers/auth.json; REGISTRY_AUTH_FILE,
 * where it is there, is the only one. Exit 2 where one is no JSON; what it holds is not shown.
 */
TG_CHECKED int credentials_load(struct credentials **out, struct arena *arena, struct err *err);
/*
 * The first that one of the files knows for a repository of a host, of each its helper
 * (docker-credential-NAME, run once a host) before its own words, the longest name that fits first.
 */
struct credential credentials_for(struct credentials *credentials, const char *host,
                                  const char *path);
/* The same of one file, without helpers; false: it knows nothing. */
bool credentials_find(struct credential *out, struct arena *arena, const struct data *file,
                      const char *host, const char *path);
/* What a helper answered. */
bool credentials_read_answer(struct credential *out, struct arena *arena, const char *text);

#endif

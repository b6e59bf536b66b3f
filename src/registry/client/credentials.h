/* Credentials of the user's container tools: user names, passwords, identity tokens; and the
 * challenges of registries to anonymous requests. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct credentials;
struct data;

/* Credentials for one registry; texts in the arena. All NULL: none. */
struct credential {
    const char *basic;    /* "Basic ..." */
    const char *identity; /* a token to exchange at token servers */
    const char *failure;  /* how the responsible helper failed */
};

/*
 * Reads $DOCKER_CONFIG/config.json or ~/.docker/config.json, and podman's
 * $XDG_RUNTIME_DIR/containers/auth.json and ~/.config/containers/auth.json; if it exists, only
 * REGISTRY_AUTH_FILE. Exit 2 for invalid JSON, without showing the content.
 */
TG_CHECKED int credentials_load(struct credentials **out, struct arena *arena, struct err *err);
/*
 * The first credentials for a repository: file by file, in each first the helper
 * (docker-credential-NAME, run once a host), then the entry with the longest matching name.
 */
struct credential credentials_for(struct credentials *credentials, const char *host,
                                  const char *path);
/* The same of one file, without helpers; false: it knows nothing. */
bool credentials_find(struct credential *out, struct arena *arena, const struct data *file,
                      const char *host, const char *path);
/* Parses a helper's answer. */
bool credentials_read_answer(struct credential *out, struct arena *arena, const char *text);

/*
 * The challenge in an answer's headers, in the arena: of several the first for a token, else for a
 * password, else the first. NULL if there is none.
 */
const char *challenge_of(struct arena *arena, const char *headers);
/* Whether the header's scheme is this one, "Basic" or "Bearer". False for NULL. */
bool challenge_is(const char *header, const char *scheme);
/* A parameter of `Bearer realm="...",service="..."`, in the arena, or NULL. */
const char *challenge_parameter(struct arena *arena, const char *header, const char *scheme,
                                const char *parameter);
/* Whether `realm` may get the password: only if it belongs to the registry at `url`. */
bool challenge_may_have_password(struct arena *arena, const char *url, const char *realm);
/* A request for a token. */
struct challenge_question {
    const char *header, *url; /* the challenge of the registry at `url` */
    struct words scopes;      /* "repository:team/base:pull" */
};

/*
 * The URL that returns the token. Exit 1, "answer", if the header names no token server, or one
 * without TLS for a registry with TLS.
 */
TG_CHECKED int challenge_token_url(const char **out, struct arena *arena,
                                   const struct challenge_question *question, struct err *err);
/* The same with an identity token, sent as a form. */
TG_CHECKED int challenge_token_form(const char **url, struct span *form, struct arena *arena,
                                    const struct challenge_question *question, const char *identity,
                                    struct err *err);
/* "Bearer ..." from a token server's answer. */
TG_CHECKED int challenge_read_token(const char **out, struct arena *arena, const char *name,
                                    struct span answer, struct err *err);

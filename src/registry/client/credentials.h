/* What the user's container tools know of registries: user names, passwords, identity tokens; and
 * what registries answer to who has not said who he is. */
#pragma once

#include "base/err.h"
#include "base/str.h"

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

/*
 * What an answer's headers want, in the arena: of several challenges one for a token, else a
 * password, else the first. NULL: nothing.
 */
const char *challenge_of(struct arena *arena, const char *headers);
/* Is it of this scheme, "Basic" or "Bearer"? NULL is of none. */
bool challenge_is(const char *header, const char *scheme);
/* A parameter of `Bearer realm="...",service="..."`, in the arena, or NULL. */
const char *challenge_parameter(struct arena *arena, const char *header, const char *scheme,
                                const char *parameter);
/* A token server gets the password of the registry at `url` only where it is the registry's own. */
bool challenge_may_have_password(struct arena *arena, const char *url, const char *realm);
/* Which token is wanted, and of whom. */
struct challenge_question {
    const char *header, *url; /* what the registry at `url` answered */
    struct words scopes;      /* "repository:team/base:pull" */
};

/*
 * The URL to ask for a token. Exit 1, "answer", where the header names no token server, or one
 * without TLS for a registry with it.
 */
TG_CHECKED int challenge_token_url(const char **out, struct arena *arena,
                                   const struct challenge_question *question, struct err *err);
/* The same for an identity token, which is sent there. */
TG_CHECKED int challenge_token_form(const char **url, struct span *form, struct arena *arena,
                                    const struct challenge_question *question, const char *identity,
                                    struct err *err);
/* "Bearer ..." from what a token server answered. */
TG_CHECKED int challenge_read_token(const char **out, struct arena *arena, const char *name,
                                    struct span answer, struct err *err);

/* What a registry answers to who has not said who he is, and where that leads. */
#ifndef TMPLGEN_CHALLENGE_H
#define TMPLGEN_CHALLENGE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;

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

#endif

/*
 * Asking registries: where each is, who asks, with which token. What is known of them is known to
 * all questions of one run.
 */
#pragma once

#include "base/err.h"
#include "io/http.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct credentials;
struct image_reference;
struct registry_host;
struct registry_token;

struct registry {
    struct arena *arena;
    struct http *http;
    struct credentials *credentials;
    const char *mirror_host, *mirror_path; /* NULL: none; the path ends with '/' or is empty */
    struct registry_host **hosts;
    struct registry_token **tokens;
    size_t host_count, token_count;
};

/* Why there is no answer; `message` NULL: there is one. Texts in the arena. */
struct registry_trouble {
    enum exit_code exit;
    const char *code, *message, *hint;
};

/* A question about a repository. The caller sets the first part, and what `exchange` asks. */
struct access_request {
    const struct image_reference *reference;
    const char *rest; /* of the URL, behind the repository; NULL: exchange.url is set */
    const char *push; /* NULL: to pull; "": to push, "REPOSITORY": and to mount from there */
    struct http_exchange exchange; /* answered where `trouble` has no message */
    struct registry_trouble trouble;

    struct registry_host *host;
    struct registry_token *token;
    const char *path; /* the repository as the registry has it: a mirror's may be longer */
};

/*
 * Asks all, several at once; what has to be known of hosts, and tokens, are asked for before, at
 * once as well. A token that is not taken any more is asked for anew, once. -1 only where the run
 * ended; nothing need be released.
 */
TG_CHECKED int access_run(struct registry *registry, struct access_request *requests, size_t count,
                          struct err *err);
/* The same of one; -1 also where there is no answer. */
TG_CHECKED int access_ask(struct registry *registry, struct access_request *request,
                          struct err *err);
/* The error of a request that was not answered, or not as wanted; -1. */
int access_fail(struct err *err, const struct access_request *request);
/*
 * Did the server of an answered request say, under /v2/ or with the answer, that it speaks a
 * registry's API? A portal in between answers as well.
 */
bool access_is_registry(const struct registry *registry, const struct access_request *request);
/* The error code of a registry, such as MANIFEST_UNKNOWN, in the body of an answer; or NULL. */
const char *access_error_code(struct arena *arena, const struct http_exchange *answer);
/* "https://registry.example.com" of an answered request. */
const char *access_url(const struct access_request *request);
/* The names of host and repository that are really asked. */
void access_locate(const char **host, const char **path, const struct registry *registry,
                   const struct image_reference *reference);

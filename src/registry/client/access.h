/*
 * Sends requests to registries: finds the host, the credentials and the token. All requests of a
 * run share what is known of the hosts.
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
    const char *mirror_host, *mirror_path; /* NULL: none; the path is empty or ends in '/' */
    struct registry_host **hosts;
    struct registry_token **tokens;
    size_t host_count, token_count;
};

/* Why there is no answer; `message` NULL: there is one. Texts in the arena. */
struct registry_trouble {
    enum exit_code exit;
    const char *code, *message, *hint;
};

/* A request for a repository. The caller sets the first part, and the request in `exchange`. */
struct access_request {
    const struct image_reference *reference;
    const char *rest; /* of the URL, after the repository; NULL: exchange.url is set */
    const char *push; /* NULL: to pull; "": to push, "REPOSITORY": and to mount from there */
    struct http_exchange exchange; /* answered if `trouble` has no message */
    struct registry_trouble trouble;

    struct registry_host *host;
    struct registry_token *token;
    const char *path; /* the repository's path on the host: that of a mirror may be longer */
};

/*
 * Runs all requests in parallel, after probing hosts and fetching tokens, also in parallel. Renews
 * a rejected token once. Returns -1 only if the whole run ended. Nothing needs to be released.
 */
TG_CHECKED int access_run(struct registry *registry, struct access_request *requests, size_t count,
                          struct err *err);
/* The same for one request; also returns -1 if it was not answered. */
TG_CHECKED int access_ask(struct registry *registry, struct access_request *request,
                          struct err *err);
/* Sets the error of a request without a usable answer; returns -1. */
int access_fail(struct err *err, const struct access_request *request);
/*
 * Whether the server of an answered request has identified itself as a registry, under /v2/ or in
 * the answer. A captive portal answers requests, too.
 */
bool access_is_registry(const struct registry *registry, const struct access_request *request);
/* The error code of a registry, such as MANIFEST_UNKNOWN, in the body of an answer; or NULL. */
const char *access_error_code(struct arena *arena, const struct http_exchange *answer);
/* The base URL of an answered request: "https://registry.example.com". */
const char *access_url(const struct access_request *request);
/* The host and repository to contact, which may be a mirror's. */
void access_locate(const char **host, const char **path, const struct registry *registry,
                   const struct image_reference *reference);

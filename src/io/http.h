/* HTTP: parallel requests with limits, retries, a cache, and secrets bound to one host. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct http;

struct http_settings {
    const char
        *ca_file; /* certificates to trust; NULL: SSL_CERT_FILE, CURL_CA_BUNDLE, the system's */
    const char *proxy; /* NULL: http_proxy, https_proxy, no_proxy */
    const char *cache; /* a folder, created on demand; NULL: no cache */
    size_t parallel;   /* most requests in progress at once; 0: 6 */
    long seconds;      /* for an exchange with all its retries; 0: LIMIT_HTTP_SECONDS */
    long run_seconds;  /* for all exchanges together; 0: LIMIT_HTTP_RUN_SECONDS or 5 * seconds */
    /* Called whenever an exchange has ended; or NULL. */
    void (*progress)(void *context, size_t done, size_t count);
    void *context;
};

/* The version of libcurl; NULL: the one file finds none. */
const char *http_library(void);

/*
 * One request and its answer. The caller fills in the request. A user and password in the URL
 * become Basic authorization. Authorization is sent only to the scheme, host and port of `url`,
 * never to a redirect's target elsewhere, and never over plain HTTP except to this machine.
 */
struct http_exchange {
    const char *url;
    bool head;                 /* HEAD instead of GET */
    const char *method;        /* "PUT", "POST": with `content`; NULL: one of these two */
    struct span content;       /* may be empty */
    const char *content_type;  /* of `content`; or NULL */
    bool once;                 /* must not run twice: see http_run */
    bool hasty;                /* no retry after a broken connection */
    const char *accept;        /* NULL: anything */
    const char *authorization; /* "Bearer ..."; or NULL */
    const char *range;         /* "0-99", "-500": these bytes only, answered by 206; or NULL */
    size_t max_bytes;          /* of the body, after decompression */
    /*
     * A cached answer younger than this many seconds is used without asking the server, if it has
     * no validator (ETag, Last-Modified); with `lasting`, even if it has one. 0: always ask.
     */
    long fresh_seconds; /* if not 0, the caller stores the answer: http_keep */
    bool lasting;

    long status; /* of the last answer; 0: none, see `err` */
    bool late;   /* the request timed out */
    struct span body;
    const char *headers; /* of the last answer, unchanged */
    const char *final_url;
    bool may_keep;   /* cacheable: the server allows it, and no secret was used */
    bool from_cache; /* the cached answer is fresh, or the server confirmed it */
    struct err err;
};

/* Loads libcurl, which nothing else uses; exit 1 if it is missing. */
TG_CHECKED int http_open(struct http **out, const struct http_settings *settings, struct err *err);
void http_close(struct http *http);

/*
 * Runs all exchanges, which the caller has zeroed except for the request. Any status counts as an
 * answer. 429, 502, 503, 504, time-outs and broken connections are retried first: up to four tries
 * in all, with growing random delays plus the server's Retry-After (up to 60 s). Up to 5 redirects
 * are followed, but not from https to http. A request with a `method` follows only 307 and 308
 * within its origin; otherwise the redirect is its answer. A `once` request is retried only after
 * 429, which says that the server did nothing. Bodies and headers live in the arena. Returns -1
 * only if the whole run ended: interrupted, or exit 1, "limit", if all exchanges since http_open
 * took too long or brought too much. Release the exchanges with http_release.
 */
TG_CHECKED int http_run(struct http *http, struct arena *arena, struct http_exchange *exchanges,
                        size_t count, struct err *err);
void http_release(struct http_exchange *exchanges, size_t count);
/* Caches an answer that was understood: later runs may use it without asking the server. */
void http_keep(const struct http *http, const struct http_exchange *x);

/*
 * Whether `host` is "localhost", in 127.0.0.0/8 or "[::1]", with or without a port. Any other name
 * may lead elsewhere, whatever it begins with.
 */
bool http_is_this_machine(const char *host);

/* The value of a header, in the arena, or NULL; names are compared without regard to case. */
const char *http_header(struct arena *arena, const char *headers, const char *name);
/* Have both URLs the same scheme, host and port? */
bool http_same_origin(const char *a, const char *b);
/* Resolves `relative` against `base`, in the arena; NULL if the result is no http(s) URL. */
const char *http_join(struct arena *arena, const char *base, const char *relative);
/* Sets exit 1, "network", for an unwanted answer, or passes on the exchange's own error. */
int http_fail(struct err *err, const struct http_exchange *exchange);
/* The value of a Basic authorization header, in the arena. */
const char *http_basic(struct arena *arena, const char *user, const char *password);
/* The URL without user, password and query, for messages; in the arena. */
const char *http_shown(struct arena *arena, const char *url);

/* HTTP: several requests at once, with limits, retries, a cache, and secrets for one host only. */
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
    const char *cache; /* a folder, made when needed; NULL: nothing is kept */
    size_t parallel;   /* requests under way at once; 0: 6 */
    long seconds;      /* for an exchange with all its retries; 0: LIMIT_HTTP_SECONDS */
    long run_seconds;  /* for all exchanges together; 0: LIMIT_HTTP_RUN_SECONDS or 5 * seconds */
    /* Called whenever an exchange has ended; or NULL. */
    void (*progress)(void *context, size_t done, size_t count);
    void *context;
};

/*
 * One request and its answer. The request's part is set by the caller. A user and password in the
 * URL become Basic authorization. What authorizes goes to the scheme, host and port of `url` only,
 * never further by a redirect, and never over plain HTTP unless to this machine.
 */
struct http_exchange {
    const char *url;
    bool head;                 /* HEAD instead of GET */
    const char *method;        /* "PUT", "POST": with `content`; NULL: one of these two */
    struct span content;       /* may be empty */
    const char *content_type;  /* of `content`; or NULL */
    bool once;                 /* not to be done twice: see http_run */
    bool hasty;                /* a connection that breaks is not made again */
    const char *accept;        /* NULL: anything */
    const char *authorization; /* "Bearer ..."; or NULL */
    const char *range;         /* "0-99", "-500": these bytes only, answered by 206; or NULL */
    size_t max_bytes;          /* of the body, unpacked */
    /*
     * For so many seconds an answer that was kept is taken without asking, where the server named
     * nothing to ask by (ETag, Last-Modified); if `lasting`, even then. 0: it is always asked.
     */
    long fresh_seconds; /* such answers are kept by http_keep */
    bool lasting;

    long status; /* of the last answer; 0: there was none, and `err` says why */
    bool late;   /* there was none in time */
    struct span body;
    const char *headers; /* of the last answer, as they came */
    const char *final_url;
    bool may_keep;   /* the server does not mind, and no secret was needed */
    bool from_cache; /* what the cache holds is still right: so said the server, or it is fresh */
    struct err err;
};

/* Loads libcurl, which nothing else needs; exit 1 where it is not there. */
TG_CHECKED int http_open(struct http **out, const struct http_settings *settings, struct err *err);
void http_close(struct http *http);

/*
 * Runs all exchanges, which were zeroed but for the request. Answers of any status count as such;
 * 429, 502, 503, 504, time-outs and broken connections are tried again first, up to four times in
 * all, with growing random waits and what Retry-After asks for (up to 60 s). Redirects (5) are
 * followed, but not from https to http; of requests with a method only within the same origin, and
 * where they keep it (307, 308): else the redirect is the answer. What is to be done `once` is
 * tried again after 429 alone, which says that nothing was done. Bodies and headers are in the
 * arena. -1 only where the run as a whole ended: interrupted, or exit 1, "limit", where all of them
 * since http_open took too long, or brought too much. The exchanges are released by http_release.
 */
TG_CHECKED int http_run(struct http *http, struct arena *arena, struct http_exchange *exchanges,
                        size_t count, struct err *err);
void http_release(struct http_exchange *exchanges, size_t count);
/* Keeps an answer for later runs: one that was understood, since it may be taken unasked. */
void http_keep(const struct http *http, const struct http_exchange *x);

/*
 * Is it "localhost", an address of 127.0.0.0/8 or "[::1]", with or without a port? Other names may
 * lead anywhere, whatever they begin with.
 */
bool http_is_this_machine(const char *host);

/* The value of a header, in the arena, or NULL; names are compared without regard to case. */
const char *http_header(struct arena *arena, const char *headers, const char *name);
/* Have both URLs the same scheme, host and port? */
bool http_same_origin(const char *a, const char *b);
/* `relative` as a link on the page `base`, in the arena, or NULL where it is no http(s) URL. */
const char *http_join(struct arena *arena, const char *base, const char *relative);
/* Sets exit 1, "network", for an answer that is not wanted, or passes the exchange's error on. */
int http_fail(struct err *err, const struct http_exchange *exchange);
/* "Basic ..." of a user and a password, in the arena. */
const char *http_basic(struct arena *arena, const char *user, const char *password);
/* A URL fit for messages: without user, password, query; in the arena. */
const char *http_shown(struct arena *arena, const char *url);

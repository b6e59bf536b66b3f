/* A cache of HTTP answers across runs: used as they are for a while, or revalidated. */
#pragma once

#include "base/str.h"

#include <stdint.h>

#include <stdbool.h>

/* Texts have no line breaks, and are NULL if the answer had none. The body may be any bytes. */
struct http_cached {
    const char *etag, *last_modified, *type;
    const char *place; /* the final URL, after redirects */
    struct span body;
    int64_t age; /* seconds since it was stored; set by a load only */
};

/*
 * Loads the answer for `url` and `key` (what was asked of it, or NULL) into the arena. False if
 * there is none, it is damaged, or its body exceeds `max` bytes: a cache never causes a failure.
 */
bool http_cache_load(struct http_cached *out, struct arena *arena, const char *folder,
                     const char *url, const char *key, size_t max);
/* Stores an answer; ignores failures. */
void http_cache_store(const char *folder, const char *url, const char *key,
                      const struct http_cached *answer);

/* Answers kept from one run to the next: taken as they are for a while, or asked for conditionally.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

#include <stdbool.h>

/* Texts without line breaks, NULL where the answer had none; a body of any bytes. */
struct http_cached {
    const char *etag, *last_modified, *type;
    const char *place; /* the URL that it came from in the end */
    struct span body;
    int64_t age; /* seconds since it was kept; out of a load only */
};

/*
 * What `folder` holds for a URL and what was wanted of it (`key`, or NULL); in the arena. False
 * where there is nothing, or where it is not whole: a cache is never a reason to fail. At most
 * `max` bytes of body.
 */
bool http_cache_load(struct http_cached *out, struct arena *arena, const char *folder,
                     const char *url, const char *key, size_t max);
/* Keeps an answer; failures are passed over. */
void http_cache_store(const char *folder, const char *url, const char *key,
                      const struct http_cached *answer);

/* Answers kept from one run to the next, for conditional requests. */
#ifndef TMPLGEN_BASE_HTTP_CACHE_H
#define TMPLGEN_BASE_HTTP_CACHE_H

#include "base/str.h"

#include <stdbool.h>

struct arena;

/* Texts without line breaks, NULL where the answer had none; a body of any bytes. */
struct http_cached {
    const char *etag, *last_modified, *type;
    struct span body;
};

/*
 * What `folder` holds for a URL and what was accepted; in the arena. False where there is nothing,
 * or where it is not whole: a cache is never a reason to fail. At most `max` bytes of body.
 */
bool http_cache_load(struct http_cached *out, struct arena *arena, const char *folder,
                     const char *url, const char *accept, size_t max);
/* Keeps an answer; failures are passed over. */
void http_cache_store(const char *folder, const char *url, const char *accept,
                      const struct http_cached *answer);

#endif

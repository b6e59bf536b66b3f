/* A piece of text. */
#pragma once

#include <stddef.h>

/* Borrowed bytes; not necessarily NUL-terminated. */
struct span {
    const char *ptr;
    size_t len;
};

static inline struct span span_of(const char *ptr, size_t len)
{
    return (struct span){ptr, len};
}

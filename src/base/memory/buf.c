/* A growing byte buffer with a maximum. */
#include "base/buf.h"

#include "base/account.h"
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow(struct buf *buf, size_t capacity)
{
    buf->counted += account_take(capacity - buf->capacity);
    buf->capacity = capacity;
    buf->ptr = xrealloc(buf->ptr, buf->capacity);
}

void buf_reserve(struct buf *buf, size_t len)
{
    size_t room = buf->max - buf->len, need = buf->len + (len < room ? len : room) + 1;
    if (need <= buf->capacity)
        return;
    grow(buf, need);
    buf->ptr[buf->len] = '\0';
}

int buf_append(struct buf *buf, const void *data, size_t len)
{
    if (buf->overflowed || len > buf->max - buf->len) {
        buf->overflowed = true;
        return -1;
    }
    size_t need = buf->len + len + 1;
    if (need > buf->capacity) {
        size_t capacity = buf->capacity ? buf->capacity * 2 : 64;
        grow(buf, capacity > need ? capacity : need);
    }
    if (len)
        memcpy(buf->ptr + buf->len, data, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
    return 0;
}

int buf_puts(struct buf *buf, const char *text)
{
    return buf_append(buf, text, strlen(text));
}

int buf_putc(struct buf *buf, char byte)
{
    return buf_append(buf, &byte, 1);
}

int buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    char small[256];
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(small, sizeof(small), format, args);
    int rc = -1;
    if (len >= 0 && (size_t)len < sizeof(small)) {
        rc = buf_append(buf, small, (size_t)len);
    } else if (len >= 0) {
        char *large = xmalloc((size_t)len + 1);
        (void)vsnprintf(large, (size_t)len + 1, format, again);
        rc = buf_append(buf, large, (size_t)len);
        free(large);
    }
    va_end(again);
    return rc;
}

int buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = buf_vprintf(buf, format, args);
    va_end(args);
    return rc;
}

void buf_truncate(struct buf *buf, size_t len)
{
    if (len >= buf->len)
        return;
    buf->len = len;
    buf->ptr[len] = '\0';
}

const char *buf_text(const struct buf *buf)
{
    return buf->ptr ? buf->ptr : "";
}

void buf_release(struct buf *buf)
{
    account_give(buf->counted);
    free(buf->ptr);
    *buf = (struct buf)BUF_INIT(buf->max);
}

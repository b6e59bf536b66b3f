/* A growing byte buffer with a maximum. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * `ptr` is NUL-terminated once anything was appended (the NUL is not counted in `len`) and NULL
 * before. Appending past `max` bytes appends nothing, sets `overflowed` for good and returns -1:
 * a caller may append many times and look once. Out of memory ends the process.
 */
struct buf {
    char *ptr;
    size_t len, capacity, max;
    bool overflowed;
    size_t counted; /* by the run's budget */
};

#define BUF_INIT(maximum)                                                                          \
    {                                                                                              \
        NULL, 0, 0, (maximum), false, 0                                                            \
    }
/* A buffer in a scope: released when the scope ends. */
#define BUF_SCRATCH(name, maximum)                                                                 \
    __attribute__((cleanup(buf_release))) struct buf name = BUF_INIT(maximum)

/* Makes room for so many bytes more, at most up to `max`, so that appending them moves nothing. */
void buf_reserve(struct buf *buf, size_t len);
int buf_append(struct buf *buf, const void *data, size_t len);
int buf_puts(struct buf *buf, const char *text);
int buf_putc(struct buf *buf, char byte);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Shortens to `len` bytes; longer than it is: unchanged. */
void buf_truncate(struct buf *buf, size_t len);
/* The text so far, "" where nothing was appended. */
const char *buf_text(const struct buf *buf);
void buf_release(struct buf *buf);

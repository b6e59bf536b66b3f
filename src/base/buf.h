/* A growing byte buffer with a maximum. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * `ptr` is NULL until the first append, then NUL-terminated; `len` does not count the NUL. An
 * append that would exceed `max` adds nothing, sets `overflowed` for good and returns -1: a caller
 * may append many times and check once. Out of memory ends the process.
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

/* Reserves room for `len` bytes more, up to `max`, so that appending them does not reallocate. */
void buf_reserve(struct buf *buf, size_t len);
int buf_append(struct buf *buf, const void *data, size_t len);
int buf_puts(struct buf *buf, const char *text);
int buf_putc(struct buf *buf, char byte);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Shortens the text to `len` bytes; no effect if it is shorter already. */
void buf_truncate(struct buf *buf, size_t len);
/* The text so far; "" if nothing was appended. */
const char *buf_text(const struct buf *buf);
void buf_release(struct buf *buf);

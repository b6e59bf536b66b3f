/* Setting, wrapping and placing errors. */
#define TG_ERR_C
#include "base/err.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *format_text(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        return xstrdup(format);
    return text;
}

int err_set(struct err *err, enum exit_code exit, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = format_text(format, args);
    va_end(args);
    err_release(err);
    err->exit = exit;
    err->code = code;
    err->message = message;
    return -1;
}

int err_errno(struct err *err, int number, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = format_text(format, args);
    va_end(args);
    (void)err_set(err, TG_RUNTIME, code, "%s: %s", message, strerror(number));
    free(message);
    if (number == ENOSPC || number == EDQUOT)
        return err_hint(err, "free some disk space, then run the same command again");
    return -1;
}

int err_hint(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *hint = format_text(format, args);
    va_end(args);
    free(err->hint);
    err->hint = hint;
    return -1;
}

int err_wrap(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *context = format_text(format, args);
    va_end(args);
    char *message = NULL;
    if (asprintf(&message, "%s: %s", context, err->message ? err->message : "") >= 0) {
        free(err->message);
        err->message = message;
    }
    free(context);
    return -1;
}

int err_trace(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *line = format_text(format, args);
    va_end(args);
    BUF_SCRATCH(masked, LIMIT_MIB);
    char *trace = NULL;
    (void)unicode_mask(&masked, span_from(line), false);
    if (asprintf(&trace, "%s%s\n", err->trace ? err->trace : "", buf_text(&masked)) >= 0) {
        free(err->trace);
        err->trace = trace;
    }
    free(line);
    return -1;
}

#define EXCERPT_BYTES ((size_t)160)

int err_at(struct err *err, const char *file, const char *text, size_t len, size_t offset)
{
    size_t line = 1, start = 0, end;
    if (offset > len)
        offset = len;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    /* from the offset on: a \r before it is part of the line */
    for (end = offset; end < len && text[end] != '\n' && text[end] != '\r'; end++)
        ;
    if (end > start && text[end - 1] == '\r')
        end--;
    free(err->where.file);
    free(err->where.source);
    err->where.file = xstrdup(file);
    size_t first = start;
    if (end - start > EXCERPT_BYTES) {
        if (offset - start > EXCERPT_BYTES / 2)
            first = offset - EXCERPT_BYTES / 2;
        end = end - first > EXCERPT_BYTES ? first + EXCERPT_BYTES : end;
        while (first < offset && utf8_continues(text[first]))
            first++;
    }
    err->where.source = xmalloc(end - first + 1);
    memcpy(err->where.source, text + first, end - first);
    err->where.source[end - first] = '\0';
    err->where.caret = offset - first;
    err->where.line = line;
    err->where.column = utf8_count(span_of(text + start, offset - start)) + 1;
    return -1;
}

int err_move(struct err *err, struct err *from)
{
    err_release(err);
    *err = *from;
    *from = (struct err)ERR_INIT;
    return -1;
}

void err_hide_source(struct err *err)
{
    free(err->where.source);
    err->where.source = NULL;
}

void err_release(struct err *err)
{
    free(err->message);
    free(err->hint);
    free(err->trace);
    free(err->where.file);
    free(err->where.source);
    *err = (struct err)ERR_INIT;
}

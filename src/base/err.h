/* The error type of the program: what failed, where, why, and what to do next. */
#pragma once

#include <stddef.h>

/* Exit codes. */
enum exit_code {
    TG_OK = 0,
    TG_RUNTIME = 1,
    TG_USAGE = 2,
    TG_REFUSED = 3,
    TG_UNSOLVABLE = 4,
    TG_CONFLICTS = 5,
    TG_DIFFERS = 6,
    TG_SIGHUP = 129,
    TG_SIGINT = 130,
    TG_SIGTERM = 143,
};

/* Ignoring the result of a fallible function does not compile. */
#define TG_CHECKED __attribute__((warn_unused_result))

/*
 * The function that detects the failure sets the error; each caller may wrap the message once with
 * what it alone knows. The error owns its texts. `code` is one of the words in docs/json.md.
 */
struct err {
    enum exit_code exit;
    const char *code; /* static text */
    char *message;
    char *hint;  /* what to do next, or NULL */
    char *trace; /* lines below the excerpt, such as the include stack, each ended by \n; or NULL */
    struct {
        char *file;          /* NULL where no file is to blame */
        char *source;        /* the line, without its end; or NULL */
        size_t line, column; /* from 1; column counts characters; 0: unknown */
        size_t caret;        /* byte offset in `source`, which is only a part of a long line */
    } where;
};

#define ERR_INIT                                                                                   \
    {                                                                                              \
        0                                                                                          \
    }

/* Both return -1, so that a failing function can `return err_set(...)`. A set error is replaced. */
int err_set(struct err *err, enum exit_code exit, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Like err_set, exit 1, with the text of `number` (an errno) added. */
int err_errno(struct err *err, int number, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds or replaces the hint; -1. */
int err_hint(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts "CONTEXT: " before the message; -1. */
int err_wrap(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends one line to the trace, masked; -1. */
int err_trace(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Sets the place: byte `offset` of `text` (`len` bytes), the content of `file`. Computes line and
 * column, and keeps the line for the excerpt. Returns -1.
 */
int err_at(struct err *err, const char *file, const char *text, size_t len, size_t offset);
/* Moves `from` into `err`, whose old content is released. `from` is then empty. Returns -1. */
int err_move(struct err *err, struct err *from);
/* Drops the source line, which may hold a password; file, line and column stay. */
void err_hide_source(struct err *err);
void err_release(struct err *err);

/* Compilers and analyzers see one source file at a time: this tells them the return values. */
#ifndef TG_ERR_C
static inline int err_minus_one(int rc)
{
    (void)rc;
    return -1;
}
#define err_set(...) err_minus_one(err_set(__VA_ARGS__))
#define err_errno(...) err_minus_one(err_errno(__VA_ARGS__))
#define err_hint(...) err_minus_one(err_hint(__VA_ARGS__))
#define err_wrap(...) err_minus_one(err_wrap(__VA_ARGS__))
#define err_trace(...) err_minus_one(err_trace(__VA_ARGS__))
#define err_at(...) err_minus_one(err_at(__VA_ARGS__))
#define err_move(...) err_minus_one(err_move(__VA_ARGS__))
#endif

#define ERR_SCRATCH(name) __attribute__((cleanup(err_release))) struct err name = ERR_INIT

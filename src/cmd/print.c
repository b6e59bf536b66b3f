/* Prints results and failures: words for people, one JSON document for programs. */
#include "cmd/cmd.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "catalog/catalog.h"
#include "data/document.h"
#include "data/json.h"
#include "io/http.h"
#include "io/interrupt.h"
#include "io/term.h"
#include "resolver/resolver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_PREFIX "tmplgen/"
#define SCHEMA_VERSION "@1" /* where a command does not name another */

void run_close(struct run *run)
{
    catalog_close(run->catalog);
    http_close(run->http);
    run->catalog = NULL;
    run->http = NULL;
    run->has_config = false;
}

const char *cmd_argument(const struct run *run, const char *other)
{
    return run->options.argument_count ? run->options.arguments[0] : other;
}

static void put_masked(const char *text, bool lines)
{
    BUF_SCRATCH(masked, 64 * LIMIT_MIB);
    (void)unicode_mask(&masked, span_from(text), lines);
    (void)fputs(buf_text(&masked), stderr);
}

/* Prints a message, a place or a hint as one line, whatever foreign text it contains. */
static void put(const char *text)
{
    put_masked(text, false);
}

static void put_line(const char *prefix, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static void put_line(const char *prefix, const char *format, va_list args)
{
    BUF_SCRATCH(line, LIMIT_MIB);
    (void)buf_vprintf(&line, format, args);
    (void)fputs(prefix, stderr);
    put(buf_text(&line));
    (void)fputc('\n', stderr);
}

void cmd_say(const struct run *run, const char *format, ...)
{
    va_list args;
    if (run->quiet)
        return;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

void cmd_warn(const struct run *run, const char *format, ...)
{
    va_list args;
    (void)run;
    va_start(args, format);
    put_line(term_colour(stderr, "\033[33mwarning:\033[0m ", "warning: "), format, args);
    va_end(args);
}

void cmd_detail(const struct run *run, const char *format, ...)
{
    va_list args;
    if (!run->verbose)
        return;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

void cmd_print(struct run *run, const char *format, ...)
{
    va_list args;
    if (run->json)
        return;
    BUF_SCRATCH(text, 64 * LIMIT_MIB);
    va_start(args, format);
    (void)buf_vprintf(&text, format, args);
    va_end(args);
    (void)unicode_mask(&run->out, span_of(buf_text(&text), text.len), true);
}

const char *cmd_masked(struct run *run, const char *text)
{
    BUF_SCRATCH(masked, 64 * LIMIT_MIB);
    (void)unicode_mask(&masked, span_from(text ? text : ""), false);
    return arena_strdup(&run->arena, buf_text(&masked));
}

const char *cmd_shown(struct run *run, const struct data *map, const char *name)
{
    return cmd_masked(run, data_get_text(map, name));
}

void cmd_refuse(struct run *run, struct data *refusal)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    (void)matrix_explain_refusal(&text, refusal);
    run->failure = refusal;
    run->failure_text = arena_strdup(&run->arena, buf_text(&text));
}

/* Prints the line to blame with a caret below the column; tabs keep their place. */
static void print_excerpt(const struct err *err)
{
    BUF_SCRATCH(caret, LIMIT_MIB);
    struct span line = span_from(err->where.source);
    size_t pos = 0;
    while (pos < err->where.caret && pos < line.len) {
        char byte = line.ptr[pos];
        (void)utf8_next(line, &pos);
        (void)buf_putc(&caret, byte == '\t' ? '\t' : ' ');
    }
    (void)fputs("  | ", stderr);
    put(err->where.source);
    (void)fprintf(stderr, "\n  | %s%s\n", buf_text(&caret),
                  term_colour(stderr, "\033[32m^\033[0m", "^"));
}

void print_failure(const struct run *run, const struct err *err)
{
    (void)fputs(term_colour(stderr, "tmplgen: \033[31merror:\033[0m ", "tmplgen: error: "), stderr);
    if (err->where.file) {
        put(err->where.file);
        if (err->where.line)
            (void)fprintf(stderr, ":%zu:%zu", err->where.line, err->where.column);
        (void)fputs(": ", stderr);
    }
    put(err->message);
    (void)fputc('\n', stderr);
    if (err->where.source && *err->where.source)
        print_excerpt(err);
    if (err->trace)
        put_masked(err->trace, true); /* its parts are masked already */
    if (run->failure_text)
        put_masked(run->failure_text, true);
    if (err->hint) {
        (void)fputs(term_colour(stderr, "\033[36mhint:\033[0m ", "hint: "), stderr);
        put(err->hint);
        (void)fputc('\n', stderr);
    }
}

int run_write(const struct run *run, struct err *err)
{
    const char *at = buf_text(&run->out);
    if (run->out.overflowed)
        return err_set(err, TG_RUNTIME, "limit", "it is too much");
    for (size_t left = run->out.len; left;) {
        ssize_t put = write(STDOUT_FILENO, at, left);
        if (put < 0 && errno != EINTR)
            return err_set(err, TG_RUNTIME, "io", "%s", strerror(errno));
        bool part = put < 0 || (size_t)put < left;
        if (part && !interrupt_settled() && interrupt_check(err) < 0)
            return -1;
        at += put > 0 ? put : 0;
        left -= put > 0 ? (size_t)put : 0;
    }
    return 0;
}

static struct data *where_data(struct arena *arena, const struct err *err)
{
    if (!err->where.file)
        return data_null(arena);
    return data_of(arena, FIELD("file", err->where.file), FIELD("line", err->where.line),
                   FIELD("column", err->where.column));
}

static struct data *error_data(struct run *run, const struct err *err)
{
    struct arena *arena = &run->arena;
    struct data *error = data_of(arena, FIELD("code", err->code), FIELD("message", err->message),
                                 FIELD("hint", err->hint), FIELD("where", where_data(arena, err)));
    for (size_t i = 0; run->failure && i < run->failure->map.count; i++)
        data_put_span(arena, error, run->failure->map.members[i].name,
                      run->failure->map.members[i].value);
    return error;
}

static const char *schema_of(struct arena *arena, const struct command *command)
{
    char *schema = arena_strdup(arena, command->schema ? command->schema : command->name);
    for (char *blank = schema; (blank = strchr(blank, ' '));)
        *blank = '-';
    return schema;
}

void print_document(struct run *run, int code, const struct err *err)
{
    struct arena *arena = &run->arena;
    struct data *document = data_map(arena);
    const char *schema = run->command ? schema_of(arena, run->command) : "error";
    const char *version = strchr(schema, '@') ? "" : SCHEMA_VERSION;
    data_add(arena, document,
             FIELD("schema", arena_printf(arena, SCHEMA_PREFIX "%s%s", schema, version)),
             FIELD("exit", code));
    for (size_t i = 0; i < run->document->map.count; i++)
        data_put_span(arena, document, run->document->map.members[i].name,
                      run->document->map.members[i].value);
    if (err)
        data_put(arena, document, "error", error_data(run, err));
    (void)json_write(&run->out, document, true);
}

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

/* ---------------------------------------------------------------- lines of a terminal */

#define HELD '\1' /* a blank that no line breaks at: masked text has no such byte */

/* Holds what is quoted together: it may be a command, to be copied. */
static void hold_quoted(char *text)
{
    for (char *at = text; (at = strpbrk(at, "'`")); at++) {
        char *end = at == text || strchr(" (", at[-1]) ? strchr(at + 1, *at) : NULL;
        if (!end)
            continue;
        for (; at < end; at++)
            *at = *at == ' ' ? HELD : *at;
    }
}

/* Where its further rows begin: below the text of "  note     text". */
static size_t indent_of(const char *line)
{
    size_t blanks = strspn(line, " "), word = blanks + strcspn(line + blanks, " ");
    size_t gap = strspn(line + word, " ");
    return blanks == 2 && gap > 1 ? word + gap : blanks + 2;
}

/* A line that is a command, or holds one. */
static bool is_command(struct span line)
{
    static const char *const words[] = {"tmplgen", "git", "install"};
    if (!span_starts(line, "  "))
        return false;
    struct span word = span_of(line.ptr + 2, line.len - 2);
    const char *blank = word.len ? memchr(word.ptr, ' ', word.len) : NULL;
    for (size_t i = 0; blank && i < sizeof words / sizeof *words; i++)
        if (span_equal(span_of(word.ptr, (size_t)(blank - word.ptr)), span_from(words[i])))
            return true;
    return false;
}

/*
 * Puts masked text. Where `stream` is a terminal its lines break between words, except commands.
 * The first one begins in `column`.
 */
static void put_lines(struct buf *out, const char *text, size_t column, FILE *stream)
{
    struct span rest = span_from(text);
    if (!isatty(fileno(stream))) {
        (void)buf_puts(out, text);
        return;
    }
    while (rest.len) {
        ARENA_SCRATCH(scratch);
        bool ends = memchr(rest.ptr, '\n', rest.len);
        struct span span = span_cut_line(&rest);
        char *line = arena_memdup(&scratch, span.ptr, span.len);
        size_t start = out->len, blanks = strspn(line, " ");
        size_t width = is_command(span) ? SIZE_MAX : term_width(stream) - 1;
        size_t indent = column ? 2 : indent_of(line);
        hold_quoted(line);
        (void)buf_append(out, line, blanks);
        wrap_text(out, line + blanks, column + blanks, indent, width);
        if (!ends && out->len)
            buf_truncate(out, out->len - 1);
        for (char *at = out->ptr + start; out->len > start && (at = strchr(at, HELD));)
            *at = ' ';
        column = 0;
    }
}

/* Prints text on stderr, whatever foreign text it contains, behind `column` columns of a line. */
static void put_at(const char *text, bool lines, size_t column)
{
    BUF_SCRATCH(masked, 64 * LIMIT_MIB);
    BUF_SCRATCH(out, 64 * LIMIT_MIB);
    (void)unicode_mask(&masked, span_from(text), lines);
    put_lines(&out, buf_text(&masked), column, stderr);
    (void)fputs(buf_text(&out), stderr);
}

/* Prints a place or an excerpt as one line that does not break. */
static void put(const char *text)
{
    put_masked(text, false);
}

static void put_line(const char *prefix, size_t column, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

static void put_line(const char *prefix, size_t column, const char *format, va_list args)
{
    BUF_SCRATCH(line, LIMIT_MIB);
    (void)buf_vprintf(&line, format, args);
    (void)fputs(prefix, stderr);
    put_at(buf_text(&line), false, column);
    (void)fputc('\n', stderr);
}

void cmd_ask_line(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line("", 0, format, args);
    va_end(args);
}

void cmd_say(const struct run *run, const char *format, ...)
{
    va_list args;
    if (run->quiet)
        return;
    va_start(args, format);
    put_line("", 0, format, args);
    va_end(args);
}

void cmd_warn(const struct run *run, const char *format, ...)
{
    va_list args;
    (void)run;
    va_start(args, format);
    put_line(term_colour(stderr, "\033[33mwarning:\033[0m ", "warning: "), strlen("warning: "),
             format, args);
    va_end(args);
}

void cmd_detail(const struct run *run, const char *format, ...)
{
    va_list args;
    if (!run->verbose)
        return;
    va_start(args, format);
    put_line("", 0, format, args);
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

void cmd_print_stack(struct run *run, const struct data *resolution)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    BUF_SCRATCH(masked, LIMIT_MIB);
    BUF_SCRATCH(lines, LIMIT_MIB);
    (void)matrix_explain(&text, resolution);
    (void)unicode_mask(&masked, span_of(buf_text(&text), text.len), true);
    put_lines(&lines, buf_text(&masked), 0, stdout);
    cmd_print(run, "%s", buf_text(&lines));
}

void cmd_say_refusal(const struct data *refusal)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    (void)matrix_explain_refusal(&text, refusal);
    put_at(buf_text(&text), true, 0);
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
    size_t column = strlen("tmplgen: error: ");
    (void)fputs(term_colour(stderr, "tmplgen: \033[31merror:\033[0m ", "tmplgen: error: "), stderr);
    if (err->where.file) {
        BUF_SCRATCH(place, LIMIT_MIB);
        (void)buf_puts(&place, err->where.file);
        if (err->where.line)
            (void)buf_printf(&place, ":%zu:%zu", err->where.line, err->where.column);
        (void)buf_puts(&place, ": ");
        put(buf_text(&place));
        column += utf8_count(span_of(buf_text(&place), place.len));
    }
    put_at(err->message, false, column);
    (void)fputc('\n', stderr);
    if (err->where.source && *err->where.source)
        print_excerpt(err);
    if (err->trace)
        put_masked(err->trace, true); /* its parts are masked already */
    if (run->failure_text)
        put_at(run->failure_text, true, 0);
    if (err->hint) {
        (void)fputs(term_colour(stderr, "\033[36mhint:\033[0m ", "hint: "), stderr);
        put_at(err->hint, false, strlen("hint: "));
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

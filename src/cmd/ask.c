/* Asking a person at a terminal: questions on stderr, answers from stdin. */
#include "cmd/ask.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/term.h"
#include "base/unicode.h"
#include "catalog/answers.h"
#include "catalog/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of the terminal without its end. */
static int read_line(char **line, struct arena *arena, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_ANSWER_BYTES);
    char byte = 0;
    int rc;
    while ((rc = interrupt_read_byte(&byte, STDIN_FILENO, err)) == 1 && byte != '\n')
        (void)buf_putc(&text, byte);
    if (rc < 0)
        return -1;
    if (rc == 0 && text.len == 0) {
        (void)fputc('\n', stderr);
        return err_set(err, TG_USAGE, "missing-answer", "the input ended before all was answered");
    }
    if (text.overflowed)
        return err_set(err, TG_USAGE, "limit", "an answer is longer than %zu bytes",
                       LIMIT_ANSWER_BYTES);
    if (text.len > 0 && text.ptr[text.len - 1] == '\r')
        buf_truncate(&text, text.len - 1);
    *line = arena_memdup(arena, buf_text(&text), text.len);
    return 0;
}

static void put(struct buf *out, const char *text)
{
    (void)unicode_mask(out, span_from(text), false);
}

static void put_value(struct buf *out, const struct data *value)
{
    switch (value->kind) {
    case DATA_STR:
        put(out, value->str.ptr);
        break;
    case DATA_BOOL:
        (void)buf_puts(out, value->boolean ? "yes" : "no");
        break;
    case DATA_INT:
        (void)buf_printf(out, "%" PRId64, value->integer);
        break;
    case DATA_FLOAT:
        (void)buf_printf(out, "%g", value->real);
        break;
    case DATA_LIST:
        if (value->list.count == 0)
            (void)buf_puts(out, "none");
        for (size_t i = 0; i < value->list.count; i++) {
            (void)buf_puts(out, i ? ", " : "");
            put_value(out, value->list.items[i]);
        }
        break;
    case DATA_NULL:
    case DATA_MAP:
        break;
    }
}

/* "3" stands for the third choice; anything else for itself. */
static const char *by_number(const char *text, const struct data *choices)
{
    char *end;
    if (!choices || !*text)
        return text;
    unsigned long number = strtoul(text, &end, 10);
    if (*end || number < 1 || number > choices->list.count)
        return text;
    for (size_t i = 0; i < choices->list.count; i++)
        if (str_equal(data_text(choices->list.items[i]), text))
            return text; /* a choice may be a number itself */
    return data_text(choices->list.items[number - 1]);
}

static void show_question(const char *name, const char *help, const struct data *fallback,
                          const struct data *choices, bool several, const char *problem)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    if (problem) {
        (void)buf_puts(&out, term_colour(stderr, "  \033[31m", "  "));
        put(&out, problem);
        (void)buf_puts(&out, term_colour(stderr, "\033[0m\n", "\n"));
    }
    (void)buf_puts(&out, term_colour(stderr, "\033[1m", ""));
    put(&out, name);
    (void)buf_puts(&out, term_colour(stderr, "\033[0m", ""));
    if (*help) {
        (void)buf_puts(&out, " - ");
        put(&out, help);
    }
    (void)buf_putc(&out, '\n');
    for (size_t i = 0; choices && i < choices->list.count; i++) {
        (void)buf_printf(&out, "  %zu) ", i + 1);
        put_value(&out, choices->list.items[i]);
        (void)buf_putc(&out, '\n');
    }
    if (several)
        (void)buf_puts(&out, "  (several: separate them by commas; none for none)\n");
    if (fallback) {
        (void)buf_puts(&out, "  [");
        put_value(&out, fallback);
        (void)buf_puts(&out, "]");
    }
    (void)buf_puts(&out, fallback ? " > " : "  > ");
    (void)fputs(buf_text(&out), stderr);
    (void)fflush(stderr);
}

/* Each part of "1, 2" may be a number. */
static const char *numbers_to_names(struct arena *arena, const char *text,
                                    const struct data *choices)
{
    char *copy = arena_strdup(arena, text), *rest = copy, *part;
    const char *out = "";
    while ((part = strsep(&rest, ",")))
        out = arena_printf(arena, "%s%s%s", out, *out ? "," : "",
                           by_number(part + strspn(part, " \t"), choices));
    return out;
}

static int ask_question(const char **text, void *context, struct arena *arena,
                        const struct question *question, const char *help,
                        const struct data *fallback, const struct data *choices,
                        const char *problem, struct err *err)
{
    char *line;
    (void)context;
    show_question(question->name, help, fallback, choices, question->type == QUESTION_LIST,
                  problem);
    if (read_line(&line, arena, err) < 0)
        return -1;
    *text = *line ? line : NULL;
    if (*text && choices)
        *text = question->type == QUESTION_LIST ? numbers_to_names(arena, line, choices)
                                                : by_number(line, choices);
    return 0;
}

const struct asker terminal_asker = {.ask = ask_question, .context = NULL};

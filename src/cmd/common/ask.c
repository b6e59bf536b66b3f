/* Asks a person at a terminal: questions on stderr, answers from stdin. */
#include "cmd/cmd.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/answers.h"
#include "catalog/question.h"
#include "cmd/common/command_line.h"
#include "cmd/common/menu.h"
#include "data/data.h"
#include "io/interrupt.h"
#include "io/term.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LABEL_COLUMN_MAX 24 /* a longer choice moves only its own label */

/* Ends the line of the typed text where reading stops. */
static int leave_line(int rc)
{
    (void)fputc('\n', stderr);
    return rc;
}

/* Arrow keys and the like send ESC [ ... LETTER or ESC O LETTER: no text. */
static void drop_special_keys(struct buf *text)
{
    size_t kept = 0;
    char *bytes = text->ptr;
    for (size_t i = 0; i < text->len; i++) {
        if (bytes[i] != '\033') {
            bytes[kept++] = bytes[i];
            continue;
        }
        bool sequence = i + 1 < text->len && (bytes[i + 1] == '[' || bytes[i + 1] == 'O');
        i += sequence;
        while (sequence && i + 1 < text->len && !(bytes[i + 1] >= '@' && bytes[i + 1] <= '~'))
            i++;
        i += sequence;
    }
    buf_truncate(text, kept);
}

/* Reads a line of the terminal without its end. Returns 1; 0 where the input has ended; -1. */
static int read_line(char **line, struct arena *arena, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_ANSWER_BYTES);
    char byte = 0;
    int rc;
    while ((rc = interrupt_read_byte(&byte, STDIN_FILENO, err)) == 1 && byte != '\n')
        (void)buf_putc(&text, byte);
    if (rc < 0)
        return leave_line(-1);
    if (rc == 0 && text.len == 0)
        return leave_line(0);
    if (text.overflowed)
        return err_set(err, TG_USAGE, "limit", "an answer is longer than %zu bytes",
                       LIMIT_ANSWER_BYTES);
    if (text.len > 0 && text.ptr[text.len - 1] == '\r')
        buf_truncate(&text, text.len - 1);
    drop_special_keys(&text);
    *line = arena_memdup(arena, buf_text(&text), text.len);
    return 1;
}

static int no_more(struct err *err)
{
    return err_set(err, TG_USAGE, "missing-answer", "the input ended before all was answered");
}

static int read_one(char **line, struct arena *arena, struct err *err)
{
    int rc = read_line(line, arena, err);
    return rc ? rc : no_more(err);
}

/* Reads lines up to a single dot, or the end of the input; an empty first line: no text. */
static int read_lines(char **text, struct arena *arena, struct err *err)
{
    BUF_SCRATCH(all, LIMIT_ANSWER_BYTES);
    char *line;
    int rc = read_one(&line, arena, err);
    *text = arena_strdup(arena, "");
    if (rc < 0 || !*line)
        return rc;
    for (; rc > 0 && strcmp(line, ".") != 0; rc = read_line(&line, arena, err))
        (void)buf_printf(&all, "%s%s", all.len ? "\n" : "", line);
    if (all.overflowed)
        return err_set(err, TG_USAGE, "limit", "an answer is longer than %zu bytes",
                       LIMIT_ANSWER_BYTES);
    *text = arena_memdup(arena, buf_text(&all), all.len);
    return rc < 0 ? -1 : 1;
}

static void put(struct buf *out, const char *text)
{
    (void)unicode_mask(out, span_from(text), false);
}

void put_answer(struct buf *out, const struct data *value)
{
    switch (value->kind) {
    case DATA_STR:
        put(out, value->str.len ? value->str.ptr : "empty");
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
            put_answer(out, value->list.items[i]);
        }
        break;
    case DATA_NULL:
    case DATA_MAP:
        break;
    }
}

/* "3" means the third choice; any other text means itself. */
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

/* Puts the text, masked, in lines as wide as the terminal. */
static void put_wrapped(struct buf *out, const char *text, size_t column, size_t indent)
{
    BUF_SCRATCH(masked, LIMIT_MIB);
    put(&masked, text);
    wrap_text(out, buf_text(&masked), column, indent, term_width(stderr) - 1);
}

static bool is_default(const struct data *value, const struct data *fallback)
{
    if (fallback && fallback->kind == DATA_LIST)
        return data_has_text(fallback, data_text(value));
    return fallback && data_equal(fallback, value);
}

/* "> 2) " at the cursor of a menu; of several "  2) [x] ". */
static void put_number(struct buf *out, const struct menu *menu, size_t i)
{
    bool here = menu && menu->at == i;
    (void)buf_printf(out, "%s %zu) ", here ? ">" : " ", i + 1);
    if (menu && menu->several)
        (void)buf_puts(out, menu->taken[i] ? "[x] " : "[ ] ");
}

/* "  2) gitlab   GitLab CI (default)", with the labels aligned. */
static void put_choices(struct buf *out, const struct prompt *prompt, const struct menu *menu)
{
    size_t longest = 0, count = prompt->choices ? prompt->choices->list.count : 0;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(data_text(prompt->choices->list.items[i]));
        longest = len > longest && len <= LABEL_COLUMN_MAX ? len : longest;
    }
    for (size_t i = 0; i < count; i++) {
        const struct data *choice = prompt->choices->list.items[i];
        const char *label = prompt->labels ? data_text(prompt->labels->list.items[i]) : "";
        bool marked = is_default(choice, prompt->fallback);
        size_t start = out->len;
        put_number(out, menu, i);
        put_answer(out, choice);
        size_t used = out->len - start;
        size_t column = longest + strlen(menu && menu->several ? "  1) [x] " : "  1) ") + 2;
        if (!*label && !marked) {
            (void)buf_putc(out, '\n');
            continue;
        }
        (void)buf_printf(out, "%*s", used < column ? (int)(column - used) : 1, "");
        BUF_SCRATCH(words, LIMIT_MIB);
        (void)buf_printf(&words, "%s%s%s", label, *label && marked ? " " : "",
                         marked ? "(default)" : "");
        put_wrapped(out, buf_text(&words), used < column ? column : used + 1, column);
    }
}

static void put_bounds(struct buf *out, const struct question *question)
{
    const char *min = question->min, *max = question->max;
    const char *each = question->type == QUESTION_LIST ? "each " : "";
    if (min && max)
        (void)buf_printf(out, "  (%s%s to %s)\n", each, min, max);
    else if (min || max)
        (void)buf_printf(out, "  (%s%s or %s)\n", each, min ? min : max, min ? "more" : "less");
}

static void put_instruction(struct buf *out, const struct prompt *prompt, const struct menu *menu)
{
    const struct question *question = prompt->question;
    const char *text = "";
    if (menu)
        text = menu->several ? "  (arrow keys move, the space bar takes or leaves one)\n" : "";
    else if (question->type == QUESTION_LIST)
        text = "  (several: separate them by commas; none for none)\n";
    else if (question->type == QUESTION_BOOL && !prompt->fallback)
        text = "  (yes or no)\n";
    else if (question->multiline)
        text = "  (several lines; one that is a single '.' ends them, an empty first one takes the "
               "default)\n";
    else if (question->secret)
        text = "  (what you type is not shown, and not kept)\n";
    (void)buf_puts(out, text);
    put_bounds(out, question);
}

/* The list of choices marks the default; a secret's default is never shown. */
static void put_fallback(struct buf *out, const struct prompt *prompt, const struct menu *menu)
{
    if (menu && menu->touched) {
        ARENA_SCRATCH(scratch);
        (void)buf_puts(out, "  [");
        put(out, menu_taken(&scratch, menu, ", "));
        (void)buf_puts(out, "] > ");
        return;
    }
    if (prompt->fallback && !prompt->question->secret) {
        (void)buf_puts(out, "  [");
        put_answer(out, prompt->fallback);
        (void)buf_puts(out, "]");
    }
    (void)buf_puts(out, prompt->fallback && !prompt->question->secret ? " > " : "  > ");
}

static void put_title(struct buf *out, const struct prompt *prompt)
{
    const char *name = prompt->question->name;
    const char *help = prompt->problem ? "" : prompt->help; /* it stands above */
    if (prompt->problem) {
        (void)buf_puts(out, term_colour(stderr, "  \033[31m", "  "));
        put_wrapped(out, prompt->problem, 2, 2);
        (void)buf_puts(out, term_colour(stderr, "\033[0m", ""));
    }
    (void)buf_puts(out, term_colour(stderr, "\033[1m", ""));
    put(out, name);
    (void)buf_puts(out, term_colour(stderr, "\033[0m", ""));
    if (*help)
        (void)buf_puts(out, " - ");
    put_wrapped(out, help, strlen(name) + 3, 2);
}

static void show(const struct buf *out)
{
    (void)fputs(buf_text(out), stderr);
    (void)fflush(stderr);
}

/* All that is shown where the terminal is written line by line. */
static void show_question(const struct prompt *prompt)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    put_title(&out, prompt);
    if (!prompt->problem) /* else they stand above */
        put_choices(&out, prompt, NULL);
    put_instruction(&out, prompt, NULL);
    put_fallback(&out, prompt, NULL);
    show(&out);
}

/* ---------------------------------------------------------------- key by key */

static void put_below_title(struct buf *out, const struct menu *menu, const void *context)
{
    const struct prompt *prompt = context;
    put_choices(out, prompt, menu->choices ? menu : NULL);
    put_instruction(out, prompt, menu->choices ? menu : NULL);
    put_fallback(out, prompt, menu->choices ? menu : NULL);
}

/* The prompt alone, below choices that are too many to be redrawn. */
static void put_prompt(struct buf *out, const struct menu *menu, const void *context)
{
    (void)menu;
    put_fallback(out, context, NULL);
}

static bool fits_the_screen(const struct menu *menu)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    size_t rows = 1;
    menu->put(&out, menu, menu->context);
    for (const char *at = buf_text(&out); (at = strchr(at, '\n')); at++)
        rows++;
    return rows < term_height(stderr);
}

static struct menu menu_of(struct arena *arena, const struct prompt *prompt)
{
    const struct data *choices = prompt->choices, *fallback = prompt->fallback;
    bool several = prompt->question->type == QUESTION_LIST;
    size_t count = choices ? choices->list.count : 0;
    struct menu menu = {.choices = count ? choices : NULL,
                        .several = several,
                        .taken = arena_alloc(arena, count + 1),
                        .touched = count && !fallback && !several,
                        .put = put_below_title,
                        .context = prompt};
    for (size_t i = count; i-- > 0;) {
        menu.taken[i] = is_default(choices->list.items[i], fallback);
        menu.at = menu.taken[i] ? i : menu.at;
    }
    return menu;
}

/* Returns -1 with `err`, also where the input has ended. */
static int ask_by_keys(char **reply, struct arena *arena, const struct prompt *prompt,
                       struct err *err)
{
    struct menu menu = menu_of(arena, prompt);
    BUF_SCRATCH(title, LIMIT_MIB);
    put_title(&title, prompt);
    if (menu.choices && !fits_the_screen(&menu)) {
        put_choices(&title, prompt, NULL);
        put_instruction(&title, prompt, NULL);
        menu.choices = NULL;
        menu.touched = false;
        menu.put = put_prompt;
    }
    show(&title);
    int rc = menu_read(reply, &menu, arena, err);
    term_keys_end();
    return rc ? rc : no_more(err);
}

/* Each part of "1, 2" may be a number of a choice. */
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

/* Shows nothing of a secret, however the input ends and however early it is typed. */
static int put_question(char **reply, struct arena *arena, const struct prompt *prompt,
                        struct err *err)
{
    const struct question *question = prompt->question;
    if (!question->secret && !question->multiline && term_moves(stderr) && term_keys_begin())
        return ask_by_keys(reply, arena, prompt, err);
    bool shown = question->secret ? term_echo(false) : true;
    show_question(prompt);
    int rc = question->multiline ? read_lines(reply, arena, err) : read_one(reply, arena, err);
    if (!question->secret)
        return rc;
    (void)term_echo(shown);
    return rc < 0 ? rc : leave_line(rc);
}

static int ask_question(const char **text, void *context, struct arena *arena,
                        const struct prompt *prompt, struct err *err)
{
    const struct question *question = prompt->question;
    struct typed *typed = context;
    char *reply;
    if (prompt->problem) /* the last answer was not accepted */
        typed_answers_drop(typed, question->name);
    if (put_question(&reply, arena, prompt, err) < 0)
        return -1;
    *text = *reply ? reply : NULL;
    if (*text && prompt->choices)
        *text = question->type == QUESTION_LIST ? numbers_to_names(arena, reply, prompt->choices)
                                                : by_number(reply, prompt->choices);
    if (*text && !question->secret)
        typed_answers_add(typed, question->name, *text);
    return 0;
}

struct asker terminal_asker(struct typed *typed)
{
    return (struct asker){.ask = ask_question, .context = typed};
}

static void put_text(struct buf *out, const struct menu *menu, const void *context)
{
    (void)menu;
    (void)buf_puts(out, context);
}

/* Reads a line behind this text; shows it also where it was typed ahead. */
static int read_behind(char **line, const char *text, struct arena *arena, struct err *err)
{
    if (term_moves(stderr) && term_keys_begin()) {
        struct menu menu = {.put = put_text, .context = text};
        int rc = menu_read(line, &menu, arena, err);
        term_keys_end();
        return rc ? rc : no_more(err);
    }
    (void)fputs(text, stderr);
    (void)fflush(stderr);
    return read_one(line, arena, err);
}

int ask_whether(bool *yes, const char *question, struct err *err)
{
    ARENA_SCRATCH(scratch);
    static const char *const words[] = {"n", "y", "no", "yes"};
    const char *text = arena_printf(&scratch, "%s [%s] > ", question, *yes ? "y" : "n");
    for (;;) {
        char *line;
        if (read_behind(&line, text, &scratch, err) < 0)
            return -1;
        if (!*line)
            return 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcasecmp(line, words[i]) == 0) {
                *yes = i & 1;
                return 0;
            }
        (void)fputs("  say y or n\n", stderr);
    }
}

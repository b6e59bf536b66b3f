/* What builders say, made fit to be told. */
#include "image/build/builder_output.h"

#include "base/buf.h"
#include "base/unicode.h"

#include <string.h>

#define ESCAPE '\033'
#define HEARD_BYTES ((size_t)128 * 1024)

/* Behind the parameters and the final byte of a control sequence. */
static const char *skip_control(const char *at)
{
    while (*at >= 0x20 && *at < 0x40)
        at++;
    return *at >= 0x40 && *at < 0x7f ? at + 1 : at;
}

/* Behind a text for the terminal, such as a window's title: until BEL or ESC \. */
static const char *skip_text(const char *at)
{
    at += strcspn(at, "\a\033");
    return *at == '\a' ? at + 1 : *at && at[1] == '\\' ? at + 2 : at;
}

static const char *skip_escape(const char *at)
{
    if (at[1] == '[')
        return skip_control(at + 2);
    if (at[1] && strchr("]P^_X", at[1]))
        return skip_text(at + 2);
    return at[1] > 0x20 && at[1] < 0x7f ? at + 2 : at + 1;
}

/* Colour is the terminal's that the builder thinks it has. */
static void drop_escapes(struct buf *out, const char *line)
{
    while (*line) {
        size_t plain = strcspn(line, "\033\t\xc2");
        (void)buf_append(out, line, plain);
        line += plain;
        if (*line == ESCAPE) {
            line = skip_escape(line);
        } else if (*line == '\t') {
            (void)buf_putc(out, ' ');
            line++;
        } else if (*line && line[1] == '\x9b') { /* U+009B: ESC [ in one character */
            line = skip_control(line + 2);
        } else if (*line) {
            (void)buf_putc(out, *line++);
        }
    }
}

static void hide_users(struct buf *out, const char *line)
{
    for (const char *scheme; (scheme = strstr(line, "://"));) {
        const char *authority = scheme + 3;
        const char *at = memrchr(authority, '@', strcspn(authority, "/?# \"'<>\\"));
        (void)buf_append(out, line, (size_t)(authority - line));
        if (at)
            (void)buf_puts(out, "***");
        line = at ? at : authority;
    }
    (void)buf_puts(out, line);
}

void builder_output_line(struct buf *out, const char *line)
{
    BUF_SCRATCH(plain, HEARD_BYTES);
    BUF_SCRATCH(hidden, HEARD_BYTES);
    drop_escapes(&plain, line);
    hide_users(&hidden, buf_text(&plain));
    (void)unicode_mask(out, span_of(buf_text(&hidden), hidden.len), false);
}

bool builder_output_is_unknown(const char *line)
{
    return strcasestr(line, "image not known") || strcasestr(line, "no such image");
}

/* Writes commands for the user to type: each name in them is one word of a POSIX shell. */
#include "base/shell.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"

#include <stdarg.h>
#include <string.h>

#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static bool is_made_of(struct span text, const char *characters)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.ptr[i] || !strchr(characters, text.ptr[i]))
            return false;
    return text.len > 0;
}

bool shell_is_plain(struct span text)
{
    return is_made_of(text, LETTERS_AND_DIGITS "@%_+=:,./-");
}

void shell_put_quoted(struct buf *out, struct span text)
{
    (void)buf_putc(out, '\'');
    for (size_t i = 0; i < text.len; i++)
        (void)(text.ptr[i] == '\'' ? buf_puts(out, "'\"'\"'") : buf_putc(out, text.ptr[i]));
    (void)buf_putc(out, '\'');
}

static bool can_be_shown(const char *text)
{
    BUF_SCRATCH(masked, 64 * LIMIT_MIB);
    (void)unicode_mask(&masked, span_from(text), false);
    return strcmp(buf_text(&masked), text) == 0;
}

/* POSIX has no other escapes: not every sh knows $'..'. */
static void put_by_printf(struct buf *out, const char *text)
{
    (void)buf_puts(out, "\"$(printf '");
    for (; *text; text++)
        (void)(strchr(LETTERS_AND_DIGITS "_./", *text)
                   ? buf_putc(out, *text)
                   : buf_printf(out, "\\%03o", (unsigned)(unsigned char)*text));
    (void)buf_puts(out, "')\"");
}

static void put_word(struct buf *out, const char *text)
{
    struct span span = span_from(text);
    if (can_be_shown(text) && shell_is_plain(span) && *text != '=') /* zsh: the path of a program */
        (void)buf_puts(out, text);
    else if (can_be_shown(text))
        shell_put_quoted(out, span);
    else if (str_ends(text, "\n"))
        (void)buf_puts(out, SHELL_UNTYPABLE);
    else
        put_by_printf(out, text);
}

const char *shell_word(struct arena *arena, const char *text)
{
    BUF_SCRATCH(out, 64 * LIMIT_MIB);
    put_word(&out, text);
    return arena_strdup(arena, buf_text(&out));
}

static void put_command(struct buf *out, const char *format, va_list args)
{
    for (const char *at = format; *at; at++) {
        bool word = at[0] == '%' && at[1] == 's';
        if (word)
            put_word(out, va_arg(args, const char *));
        else
            (void)buf_putc(out, *at);
        at += word;
    }
}

const char *shell_command(struct arena *arena, const char *format, ...)
{
    BUF_SCRATCH(out, 64 * LIMIT_MIB);
    va_list args;
    va_start(args, format);
    put_command(&out, format, args);
    va_end(args);
    return arena_strdup(arena, buf_text(&out));
}

const char *shell_path(struct arena *arena, const char *path)
{
    return *path && strchr("-+=", *path) ? arena_printf(arena, "./%s", path) : path;
}

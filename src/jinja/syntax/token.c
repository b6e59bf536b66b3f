/* Literals inside tags: texts with their escapes, integers, floats. */
#include "jinja/syntax/token.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers */

static char at(const struct literal *literal, size_t pos)
{
    return pos < literal->source.len ? literal->source.ptr[pos] : '\0';
}

/* The end of "(_?DIGIT)*" at `pos`. */
static size_t skip_digits(const struct literal *literal, size_t pos, int base)
{
    for (;;) {
        size_t digit = pos + (at(literal, pos) == '_');
        if (str_digit(at(literal, digit)) >= base)
            return pos;
        pos = digit + 1;
    }
}

/* The end of "(DIGITS_)*DIGITS" at `pos`, or `pos`. */
static size_t skip_decimal(const struct literal *literal, size_t pos)
{
    return str_digit(at(literal, pos)) < 10 ? skip_digits(literal, pos + 1, 10) : pos;
}

static size_t skip_exponent(const struct literal *literal, size_t pos)
{
    if (at(literal, pos) != 'e' && at(literal, pos) != 'E')
        return pos;
    size_t digits = pos + 1;
    if (at(literal, digits) == '+' || at(literal, digits) == '-')
        digits++;
    size_t end = skip_decimal(literal, digits);
    return end == digits ? pos : end;
}

/* The end of the float at `pos`, or `pos`. After a dot there is none: `a.0.1` is two items. */
static size_t match_float(const struct literal *literal)
{
    size_t start = literal->pos;
    if (start > 0 && at(literal, start - 1) == '.')
        return start;
    size_t whole = skip_decimal(literal, start), end = whole;
    if (whole == start)
        return start;
    if (at(literal, whole) == '.') {
        size_t fraction = skip_decimal(literal, whole + 1);
        if (fraction > whole + 1)
            end = fraction;
    }
    size_t exponent = skip_exponent(literal, end);
    return exponent > whole ? exponent : start;
}

static char *without_underscores(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_alloc(arena, len + 1);
    size_t out = 0;
    for (size_t i = 0; i < len; i++)
        if (text[i] != '_')
            copy[out++] = text[i];
    copy[out] = '\0';
    return copy;
}

static int read_float(struct token *out, struct literal *literal, size_t end, struct arena *arena,
                      struct err *err)
{
    size_t len = end - literal->pos;
    char *digits = without_underscores(arena, literal->source.ptr + literal->pos, len);
    out->kind = T_FLOAT;
    out->real = strtod(digits, NULL);
    if (isinf(out->real)) {
        literal->bad = literal->pos;
        return err_set(err, TG_USAGE, CODE_TYPE, "the number '%.40s' is too large", digits);
    }
    literal->pos = end;
    literal->found = true;
    return 0;
}

/* The base of a prefix such as 0x that is followed by digits; else 10. */
static int literal_base(const struct literal *literal, size_t *digits)
{
    static const struct {
        char letter;
        int base;
    } prefixes[] = {{'b', 2}, {'o', 8}, {'x', 16}};
    *digits = literal->pos;
    if (at(literal, literal->pos) != '0')
        return 10;
    for (size_t i = 0; i < 3; i++)
        if ((at(literal, literal->pos + 1) | 0x20) == prefixes[i].letter &&
            skip_digits(literal, literal->pos + 2, prefixes[i].base) > literal->pos + 2) {
            *digits = literal->pos + 2;
            return prefixes[i].base;
        }
    return 10;
}

static int read_integer(struct token *out, struct literal *literal, struct arena *arena,
                        struct err *err)
{
    size_t digits;
    int base = literal_base(literal, &digits);
    bool zero = base == 10 && at(literal, digits) == '0';
    size_t end = zero ? skip_digits(literal, digits, 1) : skip_digits(literal, digits, base);
    char *text = without_underscores(arena, literal->source.ptr + digits, end - digits);
    out->kind = T_INTEGER;
    errno = 0;
    out->integer = strtoll(text, NULL, base);
    if (errno == ERANGE) {
        literal->bad = literal->pos;
        return err_set(err, TG_USAGE, CODE_TYPE, "the integer '%.40s' does not fit in 64 bits",
                       text);
    }
    literal->pos = end;
    literal->found = true;
    return 0;
}

/* ---------------------------------------------------------------- texts */

struct escape {
    struct literal *literal;
    struct buf *out;
    struct err *err;
    size_t pos; /* behind the backslash */
};

static int fail_escape(struct escape *escape, const char *why)
{
    escape->literal->bad = escape->pos - 1;
    return err_set(escape->err, TG_USAGE, CODE_SYNTAX, "%s", why);
}

static int put_character(struct escape *escape, uint32_t c)
{
    if (c == 0)
        return fail_escape(escape, "a text cannot hold the character NUL");
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return fail_escape(escape, "the escape is no Unicode character");
    (void)utf8_put(escape->out, c);
    return 0;
}

/* Exactly `count` hexadecimal digits at escape->pos + 1. */
static int read_hex(struct escape *escape, size_t count)
{
    uint32_t c = 0;
    for (size_t i = 0; i < count; i++) {
        int digit = str_digit(at(escape->literal, escape->pos + 1 + i));
        if (digit >= 16)
            return fail_escape(escape, "the escape has too few digits");
        c = c << 4 | (uint32_t)digit;
    }
    if (put_character(escape, c))
        return -1;
    escape->pos += 1 + count;
    return 0;
}

static int read_octal(struct escape *escape)
{
    uint32_t c = 0;
    size_t pos = escape->pos;
    for (size_t i = 0; i < 3 && str_digit(at(escape->literal, pos)) < 8; i++)
        c = c * 8 + (uint32_t)str_digit(at(escape->literal, pos++));
    if (put_character(escape, c))
        return -1;
    escape->pos = pos;
    return 0;
}

/* Reads an escape as Python does; an unknown one is kept. */
static int read_escape(struct escape *escape)
{
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    char c = at(escape->literal, escape->pos);
    const char *found = c ? strchr(from, c) : NULL;
    if (found) {
        escape->pos++;
        return put_character(escape, (unsigned char)to[found - from]);
    }
    switch (c) {
    case 'x':
        return read_hex(escape, 2);
    case 'u':
        return read_hex(escape, 4);
    case 'U':
        return read_hex(escape, 8);
    case 'N':
        return fail_escape(escape, "escapes by name (\\N) are not in the template language");
    case '\n':
        escape->pos++;
        return 0;
    default:
        if (str_digit(c) < 8)
            return read_octal(escape);
        if ((unsigned char)c >= 0x80)
            return fail_escape(escape, "a backslash before a character that is not ASCII");
        (void)buf_putc(escape->out, '\\');
        return 0;
    }
}

static int decode(struct span *out, struct literal *literal, size_t end, struct arena *arena,
                  struct err *err)
{
    BUF_SCRATCH(text, LIMIT_TEMPLATE_BYTES);
    struct escape escape = {.literal = literal, .out = &text, .err = err, .pos = literal->pos + 1};
    while (escape.pos < end) {
        char c = at(literal, escape.pos++);
        if (c != '\\')
            (void)buf_putc(&text, c);
        else if (read_escape(&escape))
            return -1;
    }
    *out = span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
    return 0;
}

static int read_text(struct token *out, struct literal *literal, struct arena *arena,
                     struct err *err)
{
    char quote = at(literal, literal->pos);
    bool escapes = false;
    size_t end = literal->pos + 1;
    while (end < literal->source.len && at(literal, end) != quote) {
        escapes |= at(literal, end) == '\\';
        end += at(literal, end) == '\\' ? 2 : 1;
    }
    if (end >= literal->source.len)
        return 0; /* not closed */
    out->kind = T_TEXT;
    out->text = span_of(literal->source.ptr + literal->pos + 1, end - literal->pos - 1);
    if (escapes && decode(&out->text, literal, end, arena, err))
        return -1;
    literal->pos = end + 1;
    literal->found = true;
    return 0;
}

int literal_read(struct token *out, struct literal *literal, struct arena *arena, struct err *err)
{
    char c = at(literal, literal->pos);
    literal->found = false;
    if (c == '\'' || c == '"')
        return read_text(out, literal, arena, err);
    if (c < '0' || c > '9')
        return 0;
    size_t end = match_float(literal);
    if (end > literal->pos)
        return read_float(out, literal, end, arena, err);
    return read_integer(out, literal, arena, err);
}

/* Shared code of the filters and methods of texts. */
#include "jinja/functions/text_parts.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int text_check_case(struct vm *vm, struct span text)
{
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = utf8_next(text, &pos);
        if (unicode_is_unassigned(c))
            return vm_fail(vm, CODE_TYPE,
                           "the case of U+%04X is not known: it is not in Unicode 14", c);
    }
    return 0;
}

int text_put_case(struct vm *vm, struct span text, enum letter_case into)
{
    if (text_check_case(vm, text))
        return -1;
    (void)unicode_put_case(&vm->scratch, text, into);
    return vm_charge(vm, text.len / 4); /* two look-ups in large tables a character */
}

int text_case(struct value *out, struct vm *vm, struct span text, enum letter_case into)
{
    size_t start = vm_begin(vm);
    return text_put_case(vm, text, into) || vm_end(out, vm, start) ? -1 : 0;
}

/* ---------------------------------------------------------------- finding */

size_t text_find(struct span text, struct span part, size_t from)
{
    if (from > text.len || part.len > text.len - from)
        return SIZE_MAX;
    if (part.len == 0)
        return from;
    const char *found = part.len == 1
                            ? memchr(text.ptr + from, part.ptr[0], text.len - from)
                            : memmem(text.ptr + from, text.len - from, part.ptr, part.len);
    return found ? (size_t)(found - text.ptr) : SIZE_MAX;
}

size_t text_search_steps(struct span text, struct span part)
{
    return (text.len / 64 + 1) * (part.len / 64 + 1);
}

size_t text_find_last(struct span text, struct span part)
{
    for (size_t at = text.len < part.len ? SIZE_MAX : text.len - part.len; at != SIZE_MAX; at--)
        if (part.len == 0 || memcmp(text.ptr + at, part.ptr, part.len) == 0)
            return at;
    return SIZE_MAX;
}

bool text_starts(struct span text, struct span part)
{
    return text.len >= part.len && span_equal(span_of(text.ptr, part.len), part);
}

bool text_ends(struct span text, struct span part)
{
    return text.len >= part.len &&
           span_equal(span_of(text.ptr + text.len - part.len, part.len), part);
}

/* ---------------------------------------------------------------- replacing */

/* The empty text matches before every character and at the end. */
static void replace_nothing(struct vm *vm, struct span text, const struct text_change *change)
{
    int64_t left = change->count;
    for (size_t pos = 0; pos <= text.len;) {
        size_t start = pos;
        if (left != 0)
            (void)buf_append(&vm->scratch, change->new.ptr, change->new.len);
        left -= left > 0;
        if (pos == text.len)
            break;
        (void)utf8_next(text, &pos);
        (void)buf_append(&vm->scratch, text.ptr + start, pos - start);
    }
}

static void replace_part(struct vm *vm, struct span text, const struct text_change *change)
{
    int64_t left = change->count;
    size_t pos = 0, found;
    while (left != 0 && (found = text_find(text, change->old, pos)) != SIZE_MAX) {
        (void)buf_append(&vm->scratch, text.ptr + pos, found - pos);
        (void)buf_append(&vm->scratch, change->new.ptr, change->new.len);
        pos = found + change->old.len;
        left -= left > 0;
    }
    (void)buf_append(&vm->scratch, text.ptr + pos, text.len - pos);
}

int text_replace(struct value *out, struct vm *vm, struct span text,
                 const struct text_change *change)
{
    size_t start = vm_begin(vm);
    (change->old.len ? replace_part : replace_nothing)(vm, text, change);
    return vm_end(out, vm, start);
}

/* ---------------------------------------------------------------- stripping */

int text_strip(struct value *out, struct vm *vm, struct span text,
               const struct arguments *arguments, int sides)
{
    struct span set = {NULL, 0};
    if (argument_given(arguments, 0) && arguments->values[0].kind != V_NONE &&
        (argument_text(&set, vm, arguments, 0) ||
         vm_charge(vm, (text.len / 64 + 1) * (set.len + 1))))
        return -1;
    *out = value_text(unicode_strip_set(text, set, sides & TEXT_LEFT, sides & TEXT_RIGHT));
    return 0;
}

/* ---------------------------------------------------------------- lines */

bool text_next_line(struct span *line, struct span *whole, struct text_lines *lines)
{
    struct span text = lines->text;
    size_t start = lines->pos, end = start;
    if (start >= text.len)
        return false;
    while (lines->pos < text.len) {
        end = lines->pos;
        uint32_t c = utf8_next(text, &lines->pos);
        if (!unicode_is_line_break(c)) {
            end = lines->pos;
            continue;
        }
        if (c == '\r' && lines->pos < text.len && text.ptr[lines->pos] == '\n')
            lines->pos++;
        break;
    }
    *line = span_of(text.ptr + start, end - start);
    if (whole)
        *whole = span_of(text.ptr + start, lines->pos - start);
    return true;
}

bool text_next_line_or_rest(struct span *line, struct text_lines *lines)
{
    struct span whole;
    if (lines->done)
        return false;
    if (!text_next_line(line, &whole, lines)) {
        *line = span_of("", 0);
        lines->done = true;
        return true;
    }
    /* at the end: a last line without a line end, or with \r, takes the one added to the text */
    if (lines->pos == lines->text.len)
        lines->done = whole.len == line->len || text_ends(whole, span_of("\r", 1));
    return true;
}

/* ---------------------------------------------------------------- numbers */

#define NUMBER_BYTES 512 /* longer ones are too large, or have more zeros than anybody wants */

/* Converts the text to ASCII, stripped, with 0 to 9 for digits of all scripts. False if it cannot
 * be a number. */
static bool to_ascii(char out[NUMBER_BYTES], size_t *len, struct span text)
{
    text = unicode_strip(text, true, true);
    *len = 0;
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = utf8_next(text, &pos);
        int digit = unicode_digit(c);
        if ((digit < 0 && c >= 0x80) || *len + 1 >= NUMBER_BYTES)
            return false;
        out[(*len)++] = (char)(digit >= 0 ? '0' + digit : (int)c);
    }
    out[*len] = '\0';
    return *len > 0;
}

/* Skips a prefix such as 0x; returns its base, or the default. */
static int64_t take_prefix(const char **p, int64_t base)
{
    static const struct {
        char letter;
        int64_t base;
    } prefixes[] = {{'b', 2}, {'o', 8}, {'x', 16}};
    for (size_t i = 0; (*p)[0] == '0' && i < 3; i++)
        if (((*p)[1] | 0x20) == prefixes[i].letter && (base == 0 || base == prefixes[i].base)) {
            *p += 2;
            *p += **p == '_';
            return prefixes[i].base;
        }
    return base;
}

/* Reads digits, with single underscores between them, as a negative number: its range is larger. */
static enum number_reading read_digits(int64_t *out, const char *p, int64_t base)
{
    bool large = false;
    *out = 0;
    if (*p == '_')
        return NUMBER_BAD;
    for (; *p; p++) {
        if (*p == '_')
            p++;
        if (str_digit(*p) >= base)
            return NUMBER_BAD;
        large = large || __builtin_mul_overflow(*out, base, out) ||
                __builtin_sub_overflow(*out, (int64_t)str_digit(*p), out);
    }
    return large ? NUMBER_LARGE : NUMBER_OK;
}

static bool is_all_zeros(const char *p)
{
    return p[strspn(p, "0_")] == '\0';
}

enum number_reading text_to_integer(int64_t *out, struct span text, int64_t base)
{
    char ascii[NUMBER_BYTES];
    size_t len;
    if ((base != 0 && base < 2) || base > 36)
        return NUMBER_BAD;
    if (!to_ascii(ascii, &len, text))
        return len + 1 >= NUMBER_BYTES ? NUMBER_LARGE : NUMBER_BAD;
    const char *p = ascii;
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    bool literal = base == 0;
    base = take_prefix(&p, base);
    if (literal && base == 0) {
        if (*p == '0' && !is_all_zeros(p))
            return NUMBER_BAD;
        base = 10;
    }
    if (!*p)
        return NUMBER_BAD;
    enum number_reading reading = read_digits(out, p, base);
    if (reading == NUMBER_OK && !negative && __builtin_sub_overflow((int64_t)0, *out, out))
        return NUMBER_LARGE;
    return reading;
}

/* Copies digits, dropping single underscores between them. */
static size_t copy_digits(char **out, const char **p)
{
    size_t count = 0;
    while (**p >= '0' && **p <= '9') {
        *(*out)++ = *(*p)++;
        count++;
        if (**p == '_' && (*p)[1] >= '0' && (*p)[1] <= '9')
            (*p)++;
    }
    return count;
}

/* Converts a number from Python's form to C's; false if it is invalid. */
static bool to_c_number(char out[NUMBER_BYTES], const char *p)
{
    size_t digits;
    if (*p == '-' || *p == '+')
        *out++ = *p++;
    digits = copy_digits(&out, &p);
    if (*p == '.') {
        *out++ = *p++;
        digits += copy_digits(&out, &p);
    }
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        *out++ = *p++;
        if (*p == '-' || *p == '+')
            *out++ = *p++;
        if (copy_digits(&out, &p) == 0)
            return false;
    }
    *out = '\0';
    return *p == '\0';
}

static bool is_not_finite(const char *p)
{
    p += *p == '-' || *p == '+';
    return strcasecmp(p, "inf") == 0 || strcasecmp(p, "infinity") == 0 || strcasecmp(p, "nan") == 0;
}

enum number_reading text_to_real(double *out, struct span text)
{
    char ascii[NUMBER_BYTES], number[NUMBER_BYTES];
    size_t len;
    if (!to_ascii(ascii, &len, text))
        return len + 1 >= NUMBER_BYTES ? NUMBER_LARGE : NUMBER_BAD;
    if (is_not_finite(ascii))
        return NUMBER_NOT_FINITE;
    if (!to_c_number(number, ascii))
        return NUMBER_BAD;
    *out = strtod(number, NULL);
    return *out - *out == 0 ? NUMBER_OK : NUMBER_LARGE;
}

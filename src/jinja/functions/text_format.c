/* TEXT % values, as in Python. */
#include "jinja/functions/text_parts.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "jinja/functions/function.h"
#include "jinja/run/vm.h"
#include "jinja/values/number.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <stdio.h>
#include <string.h>

/* The progress through a format. `taken` and `count` are CPython's argidx and arglen. */
struct formatter {
    struct vm *vm;
    struct span text;
    size_t pos;
    const struct value *mapping; /* for keys; with one, values may remain unused */
    struct value values;
    int64_t taken, count;
};

struct conversion {
    bool left, sign, blank, alternate, zero;
    int64_t width, precision; /* precision: -1 if not given */
    char type;
};

static int fail(const struct formatter *formatter, const char *why)
{
    return vm_fail(formatter->vm, CODE_TYPE, "in the format: %s", why);
}

static char peek(const struct formatter *formatter)
{
    return formatter->pos < formatter->text.len ? formatter->text.ptr[formatter->pos] : '\0';
}

static int next_value(struct value *out, struct formatter *formatter)
{
    if (formatter->taken >= formatter->count)
        return fail(formatter, "not enough values");
    int64_t i = formatter->taken++;
    *out = formatter->count < 0 ? formatter->values : formatter->values.list->items[i];
    return 0;
}

/* ---------------------------------------------------------------- reading a specification */

/* Reads "(name)": the next value is the one under that key. */
static int read_key(struct formatter *formatter)
{
    size_t start = ++formatter->pos;
    int open = 1;
    for (; open && formatter->pos < formatter->text.len; formatter->pos++)
        open += peek(formatter) == '(' ? 1 : peek(formatter) == ')' ? -1 : 0;
    if (open)
        return fail(formatter, "the key is not closed by ')'");
    struct span key = span_of(formatter->text.ptr + start, formatter->pos - 1 - start);
    const struct value *mapping = formatter->mapping;
    if (mapping && mapping->kind == V_UNDEFINED)
        return vm_fail_undefined(formatter->vm, mapping);
    if (!mapping || mapping->kind != V_DICT)
        return fail(formatter, "a key needs a mapping");
    const struct value *found = dict_find_text(formatter->vm, mapping->dict, key);
    if (!found)
        return vm_fail(formatter->vm, CODE_TYPE, "in the format: the mapping has no key '%s'",
                       vm_show(formatter->vm, key));
    formatter->values = *found;
    formatter->count = -1;
    formatter->taken = -2;
    return 0;
}

static bool read_flag(struct formatter *formatter, struct conversion *spec)
{
    switch (peek(formatter)) {
    case '-':
        return spec->left = true;
    case '+':
        return spec->sign = true;
    case ' ':
        return spec->blank = true;
    case '#':
        return spec->alternate = true;
    case '0':
        return spec->zero = true;
    default:
        return false;
    }
}

/* A number, or "*" for one among the values. */
static int read_number(int64_t *out, struct formatter *formatter)
{
    if (peek(formatter) == '*') {
        struct value value;
        formatter->pos++;
        if (next_value(&value, formatter))
            return -1;
        if (!value_is_integer(&value, out))
            return fail(formatter, "'*' needs an integer");
    } else {
        for (*out = 0; peek(formatter) >= '0' && peek(formatter) <= '9'; formatter->pos++)
            if (*out <= (int64_t)LIMIT_TEMPLATE_TEXT_BYTES)
                *out = *out * 10 + (peek(formatter) - '0');
    }
    if (*out > (int64_t)LIMIT_TEMPLATE_TEXT_BYTES || *out < -(int64_t)LIMIT_TEMPLATE_TEXT_BYTES)
        return fail(formatter, "the width or precision is too large");
    return 0;
}

static int read_spec(struct conversion *spec, struct formatter *formatter)
{
    *spec = (struct conversion){.precision = -1};
    if (peek(formatter) == '(' && read_key(formatter))
        return -1;
    while (read_flag(formatter, spec))
        formatter->pos++;
    if (read_number(&spec->width, formatter))
        return -1;
    if (spec->width < 0) {
        spec->left = true;
        spec->width = -spec->width;
    }
    if (peek(formatter) == '.') {
        formatter->pos++;
        if (read_number(&spec->precision, formatter))
            return -1;
        if (spec->precision < 0)
            spec->precision = 0;
    }
    if (peek(formatter) == 'h' || peek(formatter) == 'l' || peek(formatter) == 'L')
        formatter->pos++;
    if (formatter->pos >= formatter->text.len)
        return fail(formatter, "it ends after '%'");
    spec->type = formatter->text.ptr[formatter->pos++];
    return 0;
}

/* ---------------------------------------------------------------- writing a value */

static void pad(struct buf *out, char c, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        (void)buf_putc(out, c);
}

static void put_padded(struct buf *out, const struct conversion *spec, struct span text)
{
    int64_t room = spec->width - (int64_t)utf8_count(text);
    pad(out, ' ', spec->left ? 0 : room);
    (void)buf_append(out, text.ptr, text.len);
    pad(out, ' ', spec->left ? room : 0);
}

/* A number: its sign, its prefix, its digits. */
struct number {
    bool negative;
    const char *prefix;
    const char *digits;
    size_t digit_count;
};

static void put_number(struct buf *out, const struct conversion *spec, const struct number *number)
{
    const char *sign = number->negative ? "-" : spec->sign ? "+" : spec->blank ? " " : "";
    int64_t room = spec->width - (int64_t)(strlen(sign) + strlen(number->prefix)) -
                   (int64_t)number->digit_count;
    bool zeros = spec->zero && !spec->left;
    pad(out, ' ', zeros || spec->left ? 0 : room);
    (void)buf_puts(out, sign);
    (void)buf_puts(out, number->prefix);
    pad(out, '0', zeros ? room : 0);
    (void)buf_append(out, number->digits, number->digit_count);
    pad(out, ' ', spec->left ? room : 0);
}

/* %d truncates floats; %o and %x accept only integers. */
static int integer_value(int64_t *out, struct formatter *formatter, const struct conversion *spec,
                         const struct value *value)
{
    bool decimal = spec->type == 'd' || spec->type == 'i' || spec->type == 'u';
    if (value->kind == V_UNDEFINED)
        return vm_fail_undefined(formatter->vm, value);
    if (value_is_integer(value, out))
        return 0;
    if (value->kind == V_FLOAT && decimal)
        return real_to_integer(out, formatter->vm, value->real);
    return vm_fail(formatter->vm, CODE_TYPE, "in the format: '%%%c' does not take %s", spec->type,
                   value_kind_name(value));
}

static const struct notation {
    char type;
    unsigned base;
    const char *prefix, *digits;
} notations[] = {
    {'o', 8, "0o", "01234567"},
    {'x', 16, "0x", "0123456789abcdef"},
    {'X', 16, "0X", "0123456789ABCDEF"},
    {'d', 10, "", "0123456789"},
};

static const struct notation *find_notation(char type)
{
    size_t i = 0;
    while (i + 1 < sizeof(notations) / sizeof(notations[0]) && notations[i].type != type)
        i++;
    return &notations[i];
}

static int format_integer(struct formatter *formatter, const struct conversion *spec,
                          const struct value *value)
{
    const struct notation *notation = find_notation(spec->type);
    int64_t integer;
    char digits[64];
    size_t first = sizeof(digits);
    if (integer_value(&integer, formatter, spec, value))
        return -1;
    uint64_t rest = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;
    do {
        digits[--first] = notation->digits[rest % notation->base];
        rest /= notation->base;
    } while (rest);
    BUF_SCRATCH(text, LIMIT_TEMPLATE_TEXT_BYTES * 2);
    pad(&text, '0', spec->precision - (int64_t)(sizeof(digits) - first));
    (void)buf_append(&text, digits + first, sizeof(digits) - first);
    put_number(&formatter->vm->scratch, spec,
               &(struct number){integer < 0, spec->alternate ? notation->prefix : "",
                                buf_text(&text), text.len});
    return 0;
}

static int format_real(struct formatter *formatter, const struct conversion *spec,
                       const struct value *value)
{
    if (value->kind == V_UNDEFINED)
        return vm_fail_undefined(formatter->vm, value);
    if (!value_is_number(value))
        return vm_fail(formatter->vm, CODE_TYPE, "in the format: '%%%c' does not take %s",
                       spec->type, value_kind_name(value));
    char format[16];
    (void)snprintf(format, sizeof(format), "%%%s.*%c", spec->alternate ? "#" : "", spec->type);
    int precision = spec->precision < 0 ? 6 : (int)spec->precision;
    BUF_SCRATCH(text, LIMIT_TEMPLATE_TEXT_BYTES * 2);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)buf_printf(&text, format, precision, value_real(value));
#pragma GCC diagnostic pop
    if (vm_charge(formatter->vm, 32 + text.len / 2)) /* libc multiplies digit by digit */
        return -1;
    bool negative = text.len && text.ptr[0] == '-';
    put_number(&formatter->vm->scratch, spec,
               &(struct number){negative, "", buf_text(&text) + negative, text.len - negative});
    return 0;
}

/* %s and %r: the precision limits the length. */
static int format_text(struct formatter *formatter, const struct conversion *spec,
                       const struct value *value)
{
    struct vm *vm = formatter->vm;
    struct value text;
    size_t start = vm_begin(vm);
    if (spec->type == 's' ? value_print(&vm->scratch, vm, value)
                          : value_repr(&vm->scratch, vm, value))
        return -1;
    if (vm_end(&text, vm, start))
        return -1;
    if (spec->precision >= 0)
        text.text.len = utf8_offset(text.text, (size_t)spec->precision);
    put_padded(&vm->scratch, spec, text.text);
    return 0;
}

static int format_character(struct formatter *formatter, const struct conversion *spec,
                            const struct value *value)
{
    BUF_SCRATCH(text, 8);
    int64_t c;
    if (value->kind == V_UNDEFINED)
        return vm_fail_undefined(formatter->vm, value);
    if (value->kind == V_TEXT && utf8_count(value->text) == 1) {
        put_padded(&formatter->vm->scratch, spec, value->text);
        return 0;
    }
    if (!value_is_integer(value, &c) || c < 1 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return fail(formatter, "'%c' takes one character or its number");
    (void)utf8_put(&text, (uint32_t)c);
    put_padded(&formatter->vm->scratch, spec, span_of(buf_text(&text), text.len));
    return 0;
}

static const struct {
    const char *types;
    int (*format)(struct formatter *formatter, const struct conversion *spec,
                  const struct value *value);
} formats[] = {
    {"diuoxX", format_integer},
    {"eEfFgG", format_real},
    {"sr", format_text},
    {"c", format_character},
};

static int format_one(struct formatter *formatter)
{
    struct conversion spec;
    struct value value;
    if (peek(formatter) == '%') {
        (void)buf_putc(&formatter->vm->scratch, '%');
        formatter->pos++;
        return 0;
    }
    if (read_spec(&spec, formatter))
        return -1;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (!spec.type || !strchr(formats[i].types, spec.type))
            continue;
        if (next_value(&value, formatter))
            return -1;
        return formats[i].format(formatter, &spec, &value);
    }
    return fail(formatter, "unknown conversion");
}

/* As in Python, anything with [] counts as a mapping here, except texts and tuples. */
static bool is_keyed(const struct value *values)
{
    return values->kind == V_DICT || values->kind == V_LIST || values->kind == V_RANGE ||
           values->kind == V_UNDEFINED;
}

int format_percent(struct value *out, struct vm *vm, const struct value *format,
                   const struct value *values)
{
    struct formatter formatter = {.vm = vm, .text = format->text, .values = *values};
    bool tuple = values->kind == V_TUPLE;
    formatter.mapping = is_keyed(values) ? values : NULL;
    formatter.count = tuple ? (int64_t)values->list->count : -1;
    formatter.taken = tuple ? 0 : -2;
    if (format->safe)
        return vm_fail(vm, CODE_TYPE,
                       "'%%' on the result of tojson is not in the template "
                       "language");
    size_t start = vm_begin(vm);
    while (formatter.pos < formatter.text.len) {
        char c = formatter.text.ptr[formatter.pos++];
        if (vm->scratch.overflowed)
            break;
        if (c != '%')
            (void)buf_putc(&vm->scratch, c);
        else if (vm_charge(vm, 1) || format_one(&formatter))
            return -1;
    }
    if (!vm->scratch.overflowed && formatter.taken < formatter.count && !formatter.mapping)
        return fail(&formatter, "not all values are used");
    return vm_end(out, vm, start);
}

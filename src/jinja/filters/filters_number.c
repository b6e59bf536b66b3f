/* Filters of numbers: abs filesizeformat float int round. */
#include "jinja/filters/filter_bodies.h"

#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/arith.h"
#include "jinja/values/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int filter_abs(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    int64_t integer;
    if (!value_is_number(self))
        return vm_fail_kind(vm, "'abs' takes a number", self);
    if (value_is_integer(self, &integer) ? integer < 0 : signbit(self->real))
        return value_negate(out, vm, self);
    return value_plus(out, vm, self);
}

static struct value fallback(const struct arguments *arguments, struct value value)
{
    return argument_given(arguments, 0) ? arguments->values[0] : value;
}

int filter_float(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    struct value real = {.kind = V_FLOAT};
    *out = fallback(given, real);
    if (self->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, self);
    if (value_is_number(self)) {
        real.real = value_real(self);
        *out = real;
        return 0;
    }
    if (self->kind != V_TEXT)
        return 0;
    switch (text_to_real(&real.real, self->text)) {
    case NUMBER_OK:
        *out = real;
        return 0;
    case NUMBER_BAD:
        return 0;
    default:
        return vm_fail(vm, CODE_TYPE, "'%s' is no finite number", vm_show(vm, self->text));
    }
}

/* "42.7" becomes 42: a text that is no integer may be a float. */
static int real_text_as_integer(struct value *out, struct vm *vm, struct span text)
{
    int64_t integer;
    double real = 0;
    switch (text_to_real(&real, text)) {
    case NUMBER_LARGE:
        return number_fail_large(vm);
    case NUMBER_OK:
        if (real_to_integer(&integer, vm, real))
            return -1;
        *out = value_int(integer);
        return 0;
    default:
        return 0;
    }
}

static int text_as_integer(struct value *out, struct vm *vm, struct span text,
                           const struct arguments *arguments)
{
    int64_t integer = 0, base = 10;
    bool readable = !argument_given(arguments, 1) || value_is_integer(&arguments->values[1], &base);
    switch (readable ? text_to_integer(&integer, text, base) : NUMBER_BAD) {
    case NUMBER_OK:
        *out = value_int(integer);
        return 0;
    case NUMBER_LARGE:
        return number_fail_large(vm);
    default:
        return real_text_as_integer(out, vm, text);
    }
}

/* Returns an integer as it is; a float becomes the integer `rounded`. */
static int number_as_integer(struct value *out, struct vm *vm, const struct value *number,
                             double rounded)
{
    int64_t integer;
    if (!value_is_integer(number, &integer) && real_to_integer(&integer, vm, rounded))
        return -1;
    *out = value_int(integer);
    return 0;
}

int filter_int(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    *out = fallback(given, value_int(0));
    if (self->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, self);
    if (self->kind == V_TEXT)
        return text_as_integer(out, vm, self->text, given);
    if (!value_is_number(self) || (self->kind == V_FLOAT && isnan(self->real)))
        return 0;
    return number_as_integer(out, vm, self, value_real(self));
}

/* ---------------------------------------------------------------- filesizeformat */

#define UNITS 8

/* The largest unit that is not more than `bytes`. */
static size_t unit_of(double bytes, const double units[UNITS + 1])
{
    size_t i = 0;
    while (i + 1 < UNITS && bytes >= units[i + 1])
        i++;
    return i;
}

/* Python's float(), which also takes a text. */
static int read_bytes(double *out, struct vm *vm, const struct value *self)
{
    enum number_reading reading = NUMBER_OK;
    if (value_is_number(self))
        *out = value_real(self);
    else if (self->kind == V_TEXT)
        reading = text_to_real(out, self->text);
    else
        return vm_fail_kind(vm, "'filesizeformat' takes a number", self);
    return reading == NUMBER_OK
               ? 0
               : vm_fail(vm, CODE_TYPE, "'%s' is no finite number", vm_show(vm, self->text));
}

int filter_filesizeformat(struct value *out, struct vm *vm, const struct arguments *given)
{
    static const char *const names[2][UNITS] = {
        {"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"},
        {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}};
    /* 10^24 is larger than the nearest float: Python compares with the integer */
    static const double thousands[UNITS + 1] = {
        1e3, 1e6, 1e9, 1e12, 1e15, 1e18, 1e21, 1.0000000000000001e24, 1e27};
    double units[UNITS + 1];
    double bytes;
    bool binary;
    if (argument_truth(&binary, vm, given, 0, false))
        return -1;
    for (int i = 0; i <= UNITS; i++)
        units[i] = binary ? ldexp(1, 10 * (i + 1)) : thousands[i];
    if (read_bytes(&bytes, vm, given->self))
        return -1;
    size_t start = vm_begin(vm), unit = unit_of(bytes, units);
    if (bytes == 1)
        (void)buf_puts(&vm->scratch, "1 Byte");
    else if (bytes < units[0])
        (void)buf_printf(&vm->scratch, "%.0f Bytes", trunc(bytes) + 0.0);
    else
        (void)buf_printf(&vm->scratch, "%.1f %s",
                         units[0] * bytes / (unit + 1 == 7 && !binary ? 1e24 : units[unit + 1]),
                         names[binary][unit]);
    return vm_end(out, vm, start);
}

/* ---------------------------------------------------------------- round */

/* To decimal places as Python does it: exact, and to the even digit when halfway. */

#define DIGITS_BYTES 1600 /* the exact decimal form of any double */
#define PLACES_MAX 323    /* more change no double */

/* Compares the digits behind the first `keep` with one half: 1 more, 0 equal, -1 less. */
static int against_half(const char *digits, size_t keep)
{
    if (digits[keep] != '5')
        return digits[keep] > '5' ? 1 : -1;
    return digits[keep + 1 + strspn(digits + keep + 1, "0.")] ? 1 : 0;
}

static void add_one(char *digits, size_t len)
{
    while (len > 0 && digits[len - 1] == '9')
        digits[--len] = '0';
    if (len > 0)
        digits[len - 1]++;
}

/* Rounds to tens, hundreds, ...: drops `zeros` digits before the point of the exact form. A leading
 * 0 takes the carry. */
static double round_whole_digits(double real, size_t zeros)
{
    char digits[DIGITS_BYTES];
    digits[0] = '0';
    (void)snprintf(digits + 1, sizeof(digits) - 1, "%.1074f", fabs(real));
    size_t whole = strcspn(digits, ".");
    if (zeros > whole - 1)
        return copysign(0.0, real);
    size_t keep = whole - zeros;
    int side = against_half(digits, keep);
    bool odd = (digits[keep - 1] - '0') % 2 != 0;
    if (side > 0 || (side == 0 && odd))
        add_one(digits, keep);
    (void)snprintf(digits + keep, sizeof(digits) - keep, "e%zu", zeros);
    return copysign(strtod(digits, NULL), real);
}

static double round_real(double real, int64_t places)
{
    char text[DIGITS_BYTES];
    if (!isfinite(real) || places > PLACES_MAX)
        return real;
    if (places < -DBL_MAX_10_EXP - 1)
        return copysign(0.0, real);
    if (places < 0)
        return round_whole_digits(real, (size_t)-places);
    (void)snprintf(text, sizeof(text), "%.*f", (int)places, real);
    return strtod(text, NULL);
}

/* Returns false if the result does not fit. */
static bool round_integer(int64_t *out, int64_t integer, int64_t places)
{
    int64_t program = 1;
    *out = integer;
    if (places >= 0)
        return true;
    *out = 0;
    if (places < -19)
        return true;
    if (places == -19) /* half of 10**19 is less than the largest integers */
        return integer > -5000000000000000001 && integer < 5000000000000000001;
    for (int64_t i = 0; i > places; i--)
        program *= 10;
    int64_t rest = integer % program, half = program / 2;
    int64_t below = integer - rest;
    int64_t size = rest < 0 ? -rest : rest;
    bool odd = below / program % 2 != 0;
    if (size > half || (size == half && odd))
        return !__builtin_add_overflow(below, rest < 0 ? -program : program, out);
    *out = below;
    return true;
}

/* Python's round(number, precision): an integer stays one. */
static int round_common(struct value *out, struct vm *vm, const struct value *self,
                        int64_t precision)
{
    int64_t integer;
    if (vm_charge(vm, 32)) /* converts to up to 308 digits */
        return -1;
    if (!value_is_integer(self, &integer)) {
        *out = (struct value){.kind = V_FLOAT, .real = round_real(self->real, precision)};
        return isfinite(out->real) || !isfinite(self->real)
                   ? 0
                   : vm_fail(vm, CODE_TYPE, "the number is too large");
    }
    *out = value_int(integer);
    return round_integer(&out->integer, integer, precision) ? 0 : number_fail_large(vm);
}

/* ceil(number * 10**precision) / 10**precision, in just these steps. */
static int round_directed(struct value *out, struct vm *vm, const struct value *self,
                          const struct value *precision, double (*direction)(double real))
{
    struct value ten = value_int(10), power, scaled;
    if (value_binary(&power, vm, OP_POW, &ten, precision) ||
        value_binary(&scaled, vm, OP_MUL, self, &power) ||
        number_as_integer(&scaled, vm, &scaled, direction(value_real(&scaled))))
        return -1;
    return value_binary(out, vm, OP_DIV, &scaled, &power);
}

int filter_round(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    struct span method = span_from("common");
    struct value precision = fallback(given, value_int(0));
    int64_t places;
    if (!value_is_number(self))
        return vm_fail_kind(vm, "'round' takes a number", self);
    if (argument_given(given, 1) && argument_text(&method, vm, given, 1))
        return -1;
    if (span_equal(method, span_from("ceil")))
        return round_directed(out, vm, self, &precision, ceil);
    if (span_equal(method, span_from("floor")))
        return round_directed(out, vm, self, &precision, floor);
    if (!span_equal(method, span_from("common")))
        return vm_fail(vm, CODE_TYPE, "the method of 'round' is 'common', 'ceil' or 'floor'");
    if (precision.kind == V_NONE)
        return number_as_integer(out, vm, self, round_real(value_real(self), 0));
    if (argument_integer(&places, vm, given, 0, 0))
        return -1;
    return round_common(out, vm, self, places);
}

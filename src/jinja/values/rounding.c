/* Rounding to decimal places, as Python's round(): exact, and to the even digit when halfway. */
#include "jinja/values/rounding.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_BYTES 1600 /* the exact decimal form of any double */
#define PLACES_MAX 323    /* more change no double */

/* Is what stands behind the first `keep` digits more than half (1), half (0) or less (-1)? */
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

/* To tens, hundreds, ...: `zeros` digits before the point are dropped from the exact form. A 0 in
 * front takes the carry. */
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

double round_real(double real, int64_t places)
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

bool round_integer(int64_t *out, int64_t integer, int64_t places)
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

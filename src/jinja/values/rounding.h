/* Rounding to decimal places, as Python's round(): exact, and to the even digit when halfway. */
#ifndef TMPLGEN_ROUNDING_H
#define TMPLGEN_ROUNDING_H

#include <stdbool.h>
#include <stdint.h>

double round_real(double real, int64_t places);
/* False where the result does not fit. */
bool round_integer(int64_t *out, int64_t integer, int64_t places);

#endif

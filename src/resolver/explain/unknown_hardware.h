/* Words for what the matrix does not hold: other makers' GPUs, other systems. */
#ifndef TMPLGEN_UNKNOWN_HARDWARE_H
#define TMPLGEN_UNKNOWN_HARDWARE_H

#include "base/err.h"

#include <stdbool.h>

/* Whether `text` is such a word; then exit 2 with `code` is set, which says what is possible. */
bool is_elsewhere(struct err *err, const char *code, const char *text);

#endif

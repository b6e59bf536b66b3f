/* Whether the files of a matrix agree with themselves and with each other. */
#ifndef TMPLGEN_MATRIX_CHECK_H
#define TMPLGEN_MATRIX_CHECK_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct matrix;

/*
 * Calls `report` with every finding of a matrix that was read as a whole; the error has exit 2 and
 * a place, and is the callee's only during the call. `tags`: the tags that are known to exist, one
 * a line, or an empty span: not looked at. Returns how many findings there were.
 */
size_t matrix_check(struct arena *arena, const struct matrix *matrix, struct span tags,
                    void (*report)(void *context, const struct err *finding), void *context);

#endif

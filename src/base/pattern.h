/* Patterns of whole texts: a subset of POSIX extended regular expressions, matched in bounded time.
 */
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * docs/catalogs.md lists what a pattern may hold. All of it means what it means to POSIX, on
 * characters rather than bytes, and the same in every locale: ranges go by code points, classes are
 * those of ASCII, and `^` and `$` are the ends of the text, never of a line.
 *
 * A text is matched by following all states that it may have led to at once, a character at a time:
 * no text makes it go back. LIMIT_PATTERN_* bound time and memory; crossing one is code "limit".
 */

/* Whether a pattern can be used; else exit 2 with a hint, and where in it the trouble is. */
TG_CHECKED int pattern_check(size_t *at, struct span pattern, struct err *err);

/* Whether all of `text` is as the pattern says. */
TG_CHECKED int pattern_match(bool *out, struct span pattern, struct span text, struct err *err);

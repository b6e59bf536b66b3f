/* Patterns of whole texts: a subset of POSIX extended regular expressions, matched in bounded time.
 */
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * docs/catalogs.md lists the syntax. It has the meaning that POSIX gives it, on characters instead
 * of bytes, and independent of the locale: ranges go by code points, classes are ASCII, and `^` and
 * `$` are the ends of the text, never of a line.
 *
 * Matching follows all reachable states at once, one character at a time, and never backtracks.
 * LIMIT_PATTERN_* bound time and memory; crossing one is code "limit".
 */

/* Checks a pattern. If it cannot be used: exit 2 with a hint, and `*at` is the byte to blame. */
TG_CHECKED int pattern_check(size_t *at, struct span pattern, struct err *err);

/* Sets `*out` to whether the pattern matches all of `text`. */
TG_CHECKED int pattern_match(bool *out, struct span pattern, struct span text, struct err *err);

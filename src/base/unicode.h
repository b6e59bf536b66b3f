/* The Unicode that paths, messages and templates need. Tables: Unicode 14.0 (Python 3.11). */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C0, DEL, C1. */
bool unicode_is_control(uint32_t character);
/*
 * Characters that show nothing: bidirectional controls, zero-width and other format characters
 * (category Cf), Default_Ignorable_Code_Point (variation selectors, fillers, tags), U+2028 and
 * U+2029.
 */
bool unicode_is_hidden(uint32_t character);
/* Python's str.isspace and str.isprintable of one character. */
bool unicode_is_space(uint32_t character);
bool unicode_is_printable(uint32_t character);
/* \w of Python's regular expressions: letters, digits, numbers and the underscore. */
bool unicode_is_word(uint32_t character);
/* Whether it ends a line for str.splitlines. The caller treats \r\n as one end. */
bool unicode_is_line_break(uint32_t character);
/* Unassigned in the tables' version of Unicode: Python's behaviour depends on its version. */
bool unicode_is_unassigned(uint32_t character);
/* 0 to 9 for decimal digits of any script, else -1. */
int unicode_digit(uint32_t character);

/* str.islower and str.isupper. */
bool unicode_is_lower(struct span text);
bool unicode_is_upper(struct span text);

/* `text` without white space at the chosen ends. */
struct span unicode_strip(struct span text, bool left, bool right);
/* The same for the characters of `set`; a set whose `ptr` is NULL means white space. */
struct span unicode_strip_set(struct span text, struct span set, bool left, bool right);

/*
 * Python's str.lower, upper, title and capitalize: full mappings, final sigma. Invalid bytes are
 * kept.
 */
enum letter_case { UNICODE_LOWER, UNICODE_UPPER, UNICODE_TITLE, UNICODE_CAPITALIZED };
int unicode_put_case(struct buf *out, struct span text, enum letter_case into);

/*
 * Appends a key. Two texts have the same key if and only if they are equal after NFC and full case
 * folding (canonical caseless match: NFD(fold(NFD(x)))).
 */
int unicode_fold_key(struct buf *out, struct span text);

/*
 * Makes foreign text safe for a terminal or a log. Control, bidirectional and zero-width characters
 * and invalid bytes become \xNN or \uNNNN; newlines stay only if `keep_newlines`. All foreign text
 * is printed through this. Idempotent.
 */
int unicode_mask(struct buf *out, struct span text, bool keep_newlines);

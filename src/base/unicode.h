/* The Unicode that paths, messages and templates need. Tables: Unicode 14.0 (Python 3.11). */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* C0, DEL, C1. */
bool unicode_is_control(uint32_t character);
/*
 * Bidirectional controls, zero-width and other format characters (category Cf), characters that
 * show nothing (Default_Ignorable_Code_Point: variation selectors, fillers, tags), U+2028 and
 * U+2029.
 */
bool unicode_is_hidden(uint32_t character);
/* Python's str.isspace and str.isprintable of one character. */
bool unicode_is_space(uint32_t character);
bool unicode_is_printable(uint32_t character);
/* What \w of Python's regular expressions is: letters, digits, numbers and the underscore. */
bool unicode_is_word(uint32_t character);
/* Ends a line for str.splitlines; that \r\n is one end is the caller's to know. */
bool unicode_is_line_break(uint32_t character);
/* Not in the tables' version of Unicode: what Python does with it depends on Python's version. */
bool unicode_is_unassigned(uint32_t character);
/* 0 to 9 for decimal digits of any script, else -1. */
int unicode_digit(uint32_t character);

/* str.islower and str.isupper. */
bool unicode_is_lower(struct span text);
bool unicode_is_upper(struct span text);

/* Without white space at the ends asked for. */
struct span unicode_strip(struct span text, bool left, bool right);
/* Without the characters of a set there; a set without `ptr` is white space. */
struct span unicode_strip_set(struct span text, struct span set, bool left, bool right);

/*
 * str.lower, upper, title and capitalize exactly as Python's: full mappings, final sigma. Bytes
 * that are no UTF-8 stay as they are.
 */
enum letter_case { UNICODE_LOWER, UNICODE_UPPER, UNICODE_TITLE, UNICODE_CAPITALIZED };
int unicode_put_case(struct buf *out, struct span text, enum letter_case into);

/*
 * A key that is equal for two texts exactly when they are equal after NFC and full case folding
 * (canonical caseless match: NFD(fold(NFD(x)))).
 */
int unicode_fold_key(struct buf *out, struct span text);

/*
 * Foreign text made safe for a terminal or a log: control, bidirectional and zero-width characters
 * and invalid bytes as \xNN or \uNNNN; newlines kept only where `keep_newlines`. Everything that
 * comes from outside is printed through this. Masking what is masked changes nothing.
 */
int unicode_mask(struct buf *out, struct span text, bool keep_newlines);

/* UTF-8: decoding and encoding characters. */
#pragma once

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

#define UTF8_INVALID UINT32_MAX

/*
 * Decodes the character at `*pos` and moves `*pos` behind it. Returns UTF8_INVALID and moves by one
 * byte for anything invalid, including overlong forms, surrogates and values above U+10FFFF.
 */
uint32_t utf8_next(struct span text, size_t *pos);
/* The character that ends before `*pos`, which moves to its start. `*pos` must not be 0. */
uint32_t utf8_previous(struct span text, size_t *pos);
bool utf8_valid(struct span text);
int utf8_put(struct buf *out, uint32_t character);
/* Whether a byte continues a character: all others begin one. */
bool utf8_continues(char byte);
/* The number of characters; the byte offset of character `index` (at most the length). */
size_t utf8_count(struct span text);
size_t utf8_offset(struct span text, size_t index);

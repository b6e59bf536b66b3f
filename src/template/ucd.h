/* What Python's str knows about characters: case, spaces, digits, printability. */
#ifndef TMPLGEN_TEMPLATE_UCD_H
#define TMPLGEN_TEMPLATE_UCD_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* The character at `*pos`, which moves behind it. A damaged sequence is taken byte by byte. */
uint32_t ucd_next(struct span text, size_t *pos);
/* The character that ends before `*pos`, which moves to its start. `*pos` must not be 0. */
uint32_t ucd_previous(struct span text, size_t *pos);
void ucd_put(struct buf *out, uint32_t character);
/* How many characters; the byte offset of character `index` (the length, when there are fewer). */
size_t ucd_count(struct span text);
size_t ucd_offset(struct span text, size_t index);

bool ucd_is_space(uint32_t character);      /* str.isspace, \s of re */
bool ucd_is_line_break(uint32_t character); /* str.splitlines; \r\n is the caller's */
bool ucd_is_printable(uint32_t character);  /* as repr shows it unescaped */
/* Unknown to the tables' version of Unicode: what Python does with it depends on its version. */
bool ucd_is_unassigned(uint32_t character);
/* 0 to 9 for decimal digits of any script, else -1. */
int ucd_digit(uint32_t character);

enum ucd_case { UCD_LOWER, UCD_UPPER, UCD_CAPITALIZE, UCD_TITLE };
/*
 * str.lower, upper, capitalize, title with full mappings and the final sigma. Returns -1 and sets
 * `*unknown` where a character is unassigned.
 */
int ucd_convert(struct buf *out, struct span text, enum ucd_case to, uint32_t *unknown);

/* Without white space at the ends. */
struct span ucd_strip(struct span text, bool left, bool right);

#endif

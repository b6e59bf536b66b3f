/* Text broken into lines between its words. */
#ifndef TMPLGEN_WRAP_H
#define TMPLGEN_WRAP_H

#include <stddef.h>

struct buf;

/*
 * Appends `text`, which begins in `column`, and a line end. Lines are `width` characters at most,
 * where their words allow, and go on at `indent`; line ends of the text stay. No line ends in a
 * blank.
 */
void wrap_text(struct buf *out, const char *text, size_t column, size_t indent, size_t width);

#endif

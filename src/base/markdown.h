/* Writes foreign text as Markdown for forges: no markup, mention or reference in it works. */
#pragma once

#include "base/span.h"

struct buf;

/* As a code span. Masks control and hidden characters, and joins lines. */
int markdown_code(struct buf *out, struct span text);
/* As a code span in a table cell: also masks '|'. */
int markdown_cell(struct buf *out, struct span text);
/* As running text: punctuation is escaped. */
int markdown_text(struct buf *out, struct span text);
/* As a code block, whose fence no line of the text can close. */
int markdown_block(struct buf *out, const char *language, struct span text);

/* Foreign text in Markdown as forges have it: nothing of it is markup, a mention or a reference. */
#pragma once

#include "base/span.h"

struct buf;

/* As a code span. Control and hidden characters are masked, lines joined. */
int markdown_code(struct buf *out, struct span text);
/* The same in the cell of a table, where '|' is masked, too. */
int markdown_cell(struct buf *out, struct span text);
/* As running text: punctuation is escaped. */
int markdown_text(struct buf *out, struct span text);
/* As a code block of its own lines, which no line of it closes. */
int markdown_block(struct buf *out, const char *language, struct span text);

/* Jinja2 at the level of its text: where tags begin and end, with whatever delimiters. */
#ifndef TMPLGEN_IMPORT_JINJA_SCAN_H
#define TMPLGEN_IMPORT_JINJA_SCAN_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Tags as a template's Jinja2 environment has them. */
struct jinja_style {
    const char *variable_begin, *variable_end, *block_begin, *block_end, *comment_begin,
        *comment_end;
    bool trim_blocks, lstrip_blocks, drops_last_newline;
};

extern const struct jinja_style jinja_default; /* Jinja2's own, but that the last newline stays */

enum piece_kind { PIECE_DATA, PIECE_VARIABLE, PIECE_BLOCK, PIECE_COMMENT, PIECE_RAW };

/* Text between tags, a tag, or a raw block from its first tag to its last. */
struct jinja_piece {
    enum piece_kind kind;
    struct span text;   /* without delimiters and signs */
    char before, after; /* signs of white space: '-', '+', or 0; of a raw block outside of it */
    char raw_begin_after, raw_end_before; /* inside of it */
};

struct jinja_pieces {
    struct jinja_piece *items;
    size_t count;
};

/*
 * Cuts `text`, whose line ends must be \n, just as Jinja2's lexer does. What is not closed: exit 2,
 * "template-syntax". The pieces refer to `text`.
 */
TG_CHECKED int jinja_scan(struct jinja_pieces *out, struct arena *arena, struct span text,
                          const struct jinja_style *style, struct err *err);

/* One word of what stands in a tag. */
enum word_kind { WORD_BLANK, WORD_NAME, WORD_TEXT, WORD_NUMBER, WORD_SIGN, WORD_END };
/* The word at `*at`, which moves behind it; a text has its quotes. */
enum word_kind jinja_word(struct span *out, struct span text, size_t *at);

#endif

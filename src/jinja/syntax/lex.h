/* From template text to tokens, with white space control exactly as Jinja2 does it. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "jinja/syntax/token.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

enum lexer_state { LEX_DATA, LEX_RAW, LEX_VARIABLE, LEX_BLOCK };

/* A plain value: a copy of it looks ahead. */
struct lexer {
    const struct program *program;
    struct arena *arena;
    struct err *err;
    size_t pos;
    enum lexer_state state;
    bool line_starting; /* what was read last ended with a line end */
    bool expression;    /* no tags: the text is one expression */
    uint8_t open_count; /* brackets open in the tag */
    char open[LIMIT_TEMPLATE_NESTING];
};

/* With `expression` the source is one expression without tags. */
void lexer_init(struct lexer *lexer, struct arena *arena, const struct program *program,
                bool expression, struct err *err);
TG_CHECKED int lexer_next(struct token *out, struct lexer *lexer);
/* "a name", "'('", "the end of the template": for messages. */
const char *token_kind_name(enum token_kind kind);

/* Splits template text into tokens, with exactly Jinja2's white space control. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "jinja/syntax/token.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program;

enum lexer_state { LEX_DATA, LEX_RAW, LEX_VARIABLE, LEX_BLOCK };

/* Can be copied, to look ahead. */
struct lexer {
    const struct program *program;
    struct arena *arena;
    struct err *err;
    size_t pos;
    enum lexer_state state;
    bool line_starting; /* the last token ended in a line end */
    bool expression;    /* the source is one expression, without tags */
    uint8_t open_count; /* open brackets in the tag */
    char open[LIMIT_TEMPLATE_NESTING];
};

/* With `expression` the source is one expression without tags. */
void lexer_init(struct lexer *lexer, struct arena *arena, const struct program *program,
                bool expression, struct err *err);
TG_CHECKED int lexer_next(struct token *out, struct lexer *lexer);
/* For messages: "a name", "'('", "the end of the template". */
const char *token_kind_name(enum token_kind kind);

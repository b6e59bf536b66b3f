/* From template text to tokens, with white space control exactly as Jinja2 does it. */
#ifndef TMPLGEN_TEMPLATE_LEX_H
#define TMPLGEN_TEMPLATE_LEX_H

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct unit;

enum token_kind {
    T_END, /* of the template */
    T_DATA,
    T_VARIABLE_BEGIN,
    T_VARIABLE_END,
    T_BLOCK_BEGIN,
    T_BLOCK_END,
    T_NAME,
    T_TEXT,
    T_INTEGER,
    T_FLOAT,
    T_ADD,
    T_SUB,
    T_MUL,
    T_DIV,
    T_FLOORDIV,
    T_MOD,
    T_POW,
    T_TILDE,
    T_EQ,
    T_NE,
    T_LT,
    T_LE,
    T_GT,
    T_GE,
    T_ASSIGN,
    T_DOT,
    T_COLON,
    T_PIPE,
    T_COMMA,
    T_SEMICOLON,
    T_LPAREN,
    T_RPAREN,
    T_LBRACKET,
    T_RBRACKET,
    T_LBRACE,
    T_RBRACE,
    T_KIND_COUNT,
};

struct token {
    enum token_kind kind;
    uint32_t offset;
    union {
        struct span text; /* T_DATA, T_NAME, T_TEXT (escapes undone) */
        int64_t integer;
        double real;
    };
};

enum lexer_state { LEX_DATA, LEX_RAW, LEX_VARIABLE, LEX_BLOCK };

/* A plain value: a copy of it looks ahead. */
struct lexer {
    const struct unit *unit;
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
void lexer_init(struct lexer *lexer, struct arena *arena, const struct unit *unit, bool expression,
                struct err *err);
TG_CHECKED int lexer_next(struct token *out, struct lexer *lexer);
/* "a name", "'('", "the end of the template": for messages. */
const char *token_kind_name(enum token_kind kind);

#endif

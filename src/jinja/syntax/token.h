/* What the lexer finds, one after the other. */
#ifndef TMPLGEN_TOKEN_H
#define TMPLGEN_TOKEN_H

#include "base/str.h"

#include <stdint.h>

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

#endif

/* What the lexer finds, one after the other; and those of them that are literals. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

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

struct literal {
    struct span source;
    size_t pos; /* in: where to look; out: behind the literal */
    bool found;
    size_t bad; /* on failure: the byte to blame */
};

/* Reads the literal at `pos`, if there is one. The error's place is the caller's to set. */
TG_CHECKED int literal_read(struct token *out, struct literal *literal, struct arena *arena,
                            struct err *err);

/* Tokens, and the parsing of literals. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Token kinds, with their names for messages. Operators are quoted; longer ones come first, and
 * comparisons are in the order of enum compare_op.
 */
/* clang-format off */
#define EACH_TOKEN(X) \
    X(T_END, "the end of the template") X(T_DATA, "text") \
    X(T_VARIABLE_BEGIN, "the beginning of an output") X(T_VARIABLE_END, "the end of the output") \
    X(T_BLOCK_BEGIN, "the beginning of a tag") X(T_BLOCK_END, "the end of the tag") \
    X(T_NAME, "a name") X(T_TEXT, "a text") X(T_INTEGER, "an integer") X(T_FLOAT, "a number") \
    X(T_POW, "'**'") X(T_FLOORDIV, "'//'") \
    X(T_EQ, "'=='") X(T_NE, "'!='") X(T_GE, "'>='") X(T_LE, "'<='") X(T_GT, "'>'") X(T_LT, "'<'") \
    X(T_ADD, "'+'") X(T_SUB, "'-'") X(T_DIV, "'/'") X(T_MUL, "'*'") X(T_MOD, "'%'") \
    X(T_LBRACKET, "'['") X(T_RBRACKET, "']'") X(T_LPAREN, "'('") X(T_RPAREN, "')'") \
    X(T_LBRACE, "'{'") X(T_RBRACE, "'}'") X(T_TILDE, "'~'") X(T_ASSIGN, "'='") X(T_DOT, "'.'") \
    X(T_COLON, "':'") X(T_PIPE, "'|'") X(T_COMMA, "','") X(T_SEMICOLON, "';'")
/* clang-format on */

#define TOKEN_CONSTANT(constant, words) constant,
enum token_kind { EACH_TOKEN(TOKEN_CONSTANT) T_KIND_COUNT };

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
    size_t pos; /* in: start; out: end of the literal */
    bool found;
    size_t bad; /* on failure: the byte to blame */
};

/* Reads the literal at `pos`, if there is one. The caller sets the error's place. */
TG_CHECKED int literal_read(struct token *out, struct literal *literal, struct arena *arena,
                            struct err *err);

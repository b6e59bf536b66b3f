/* A template on its way from tokens to a tree. */
#ifndef TMPLGEN_TEMPLATE_PARSER_H
#define TMPLGEN_TEMPLATE_PARSER_H

#include "base/err.h"
#include "template/lex.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct parser {
    struct lexer lexer;
    struct token current;
    struct arena *arena;
    struct err *err;
    size_t nesting;       /* of the expression being read */
    size_t blocks;        /* open */
    size_t loops;         /* of them */
    size_t captures;      /* bodies of `set` among them */
    size_t loop_mentions; /* of the variable `loop`, so far */
};

TG_CHECKED int parser_advance(struct parser *parser);
TG_CHECKED int parser_peek(struct token *out, const struct parser *parser);
TG_CHECKED int parser_expect(struct parser *parser, enum token_kind kind);
/* The token after a name: is it this keyword? Then takes it. */
bool parser_sees(const struct parser *parser, const char *name);
TG_CHECKED int parser_skip(bool *skipped, struct parser *parser, const char *name);
/* Sets an error at a byte of the template; -1. */
int parser_fail(struct parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "X expected, but here is Y"; -1. */
int parser_fail_expected(struct parser *parser, const char *expected);
#ifndef TMPLGEN_TEMPLATE_PARSER_C /* see err.h */
#define parser_fail(...) err_minus_one(parser_fail(__VA_ARGS__))
#define parser_fail_expected(...) err_minus_one(parser_fail_expected(__VA_ARGS__))
#endif

#endif

/* The state of parsing a template. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "jinja/syntax/lex.h"

#include <stdbool.h>
#include <stddef.h>

struct block_code;
struct opener;
struct statement;

/*
 * Names with a special meaning if they are mentioned before any assignment. Jinja2 searches the
 * body of a loop, macro, block or template for them.
 */
#define EACH_SPECIAL(X)                                                                            \
    X(LOOP, "loop")                                                                                \
    X(CALLER, "caller")                                                                            \
    X(KWARGS, "kwargs")                                                                            \
    X(VARARGS, "varargs")                                                                          \
    X(SELF, "self")                                                                                \
    X(SUPER, "super")

#define SPECIAL_CONSTANT(special, name) SPECIAL_##special,
enum special { EACH_SPECIAL(SPECIAL_CONSTANT) SPECIAL_COUNT };

/* The uses of one such name in source order: true is a mention, false an assignment. */
struct mentions {
    bool *items;
    size_t count;
};

/* The position in all of these at which a body begins. */
struct body_start {
    size_t counts[SPECIAL_COUNT];
};

struct parser {
    struct lexer lexer;
    struct token current;
    struct arena *arena;
    struct err *err;
    /* Parses statements up to an end of `opener`: a hook into parse.c for the files below it. */
    int (*statements)(struct statement **out, struct parser *parser, const struct opener *opener);
    size_t nesting;       /* of the expression being read */
    size_t deepest;       /* nesting of the deepest expression so far */
    size_t blocks;        /* open blocks */
    size_t loops;         /* open loops */
    size_t captures;      /* open bodies whose text becomes a value */
    size_t scoped_blocks; /* number so far */
    bool extends;         /* seen so far */
    bool silent;          /* output here is dropped: a child prints only blocks */
    struct mentions mentions[SPECIAL_COUNT];
    struct intern block_names;
    struct block_code **blocks_end;
};

TG_CHECKED int parser_advance(struct parser *parser);
TG_CHECKED int parser_peek(struct token *out, const struct parser *parser);
TG_CHECKED int parser_expect(struct parser *parser, enum token_kind kind);
/* The token after a name: is it this keyword? Then takes it. */
bool parser_sees(const struct parser *parser, const char *name);
TG_CHECKED int parser_skip(bool *skipped, struct parser *parser, const char *name);
/* Takes two keywords in a row, but not the first one alone. */
TG_CHECKED int parser_skip_pair(bool *skipped, struct parser *parser, const char *first,
                                const char *second);
/* The value of a constant's name (true, None, ...), or NULL. */
const struct value *parser_constant(struct span name);
/* Parses a name to assign to; refuses constants. */
TG_CHECKED int parser_name(struct span *out, struct parser *parser);
/* Records that a name was read (`load`) or assigned to. */
void parser_mention(struct parser *parser, struct span name, bool load);
struct body_start parser_body_start(const struct parser *parser);
/* Whether the name was mentioned after `start` before an assignment. */
bool parser_mentioned(const struct parser *parser, enum special special,
                      const struct body_start *start);
/* Forgets the mentions after `start`. */
void parser_forget(struct parser *parser, const struct body_start *start);
/* Sets an error at a byte of the template; -1. */
int parser_fail(struct parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails with "X expected, but here is Y"; returns -1. */
int parser_fail_expected(struct parser *parser, const char *expected);
#ifndef TMPLGEN_TEMPLATE_PARSER_C /* see err.h */
#define parser_fail(...) err_minus_one(parser_fail(__VA_ARGS__))
#define parser_fail_expected(...) err_minus_one(parser_fail_expected(__VA_ARGS__))
#endif

/* A template on its way from tokens to a tree. */
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
 * Names that mean something where they are mentioned before anything is assigned to them. Jinja2
 * looks for that in the body of a loop, a macro, a block, a template.
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

/* What happened to one of them, in the order of the source: true is a mention. */
struct mentions {
    bool *items;
    size_t count;
};

/* Where a body begins in all of these. */
struct body_start {
    size_t counts[SPECIAL_COUNT];
};

struct parser {
    struct lexer lexer;
    struct token current;
    struct arena *arena;
    struct err *err;
    /* Statements up to one of the ends of `opener`: of parse.c, for the files below it. */
    int (*statements)(struct statement **out, struct parser *parser, const struct opener *opener);
    size_t nesting;       /* of the expression being read */
    size_t deepest;       /* expression so far */
    size_t blocks;        /* open */
    size_t loops;         /* of them */
    size_t captures;      /* bodies among them whose text becomes a value */
    size_t scoped_blocks; /* so far */
    bool extends;         /* was seen */
    bool silent;          /* what is printed here is not: only blocks of a child are */
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
/* Two keywords in a row; a first one alone is not taken. */
TG_CHECKED int parser_skip_pair(bool *skipped, struct parser *parser, const char *first,
                                const char *second);
/* The value of a name that is none: true, None, ...; or NULL. */
const struct value *parser_constant(struct span name);
/* A name that is assigned to as a whole: no constant. */
TG_CHECKED int parser_name(struct span *out, struct parser *parser);
/* A name was read or, without `load`, assigned to. */
void parser_mention(struct parser *parser, struct span name, bool load);
struct body_start parser_body_start(const struct parser *parser);
/* Was the name mentioned since, before it was assigned to? */
bool parser_mentioned(const struct parser *parser, enum special special,
                      const struct body_start *start);
/* Forgets what was mentioned since. */
void parser_forget(struct parser *parser, const struct body_start *start);
/* Sets an error at a byte of the template; -1. */
int parser_fail(struct parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "X expected, but here is Y"; -1. */
int parser_fail_expected(struct parser *parser, const char *expected);
#ifndef TMPLGEN_TEMPLATE_PARSER_C /* see err.h */
#define parser_fail(...) err_minus_one(parser_fail(__VA_ARGS__))
#define parser_fail_expected(...) err_minus_one(parser_fail_expected(__VA_ARGS__))
#endif

/* The tags of macros and of other templates; and the bodies of all tags. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/parser.h"

/* A tag whose body is being parsed, and the tags that may end the body. */
struct opener {
    const char *name;
    size_t offset;
    const char *const *ends; /* the last one closes it */
    size_t end_count;
};

/* Parses the rest of the tag and its body. The current token is then the ending tag's name. */
TG_CHECKED int parse_body(struct statement **out, struct parser *parser,
                          const struct opener *opener);
/* The same, up to and including its only ending tag. */
TG_CHECKED int parse_whole_body(struct statement **out, struct parser *parser, const char *name,
                                size_t offset, const char *end);
/* The same for a body whose text becomes a value: it prints even where output is silent. */
TG_CHECKED int parse_captured_body(struct statement **out, struct parser *parser, const char *name,
                                   size_t offset, const char *end);
/* Requires a keyword. */
TG_CHECKED int parse_word(struct parser *parser, const char *word);

/*
 * The tags of macros, includes, imports and inheritance. On entry the current token follows the
 * tag's name; on exit it is the end of the closing tag.
 */
TG_CHECKED int parse_macro(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_call_block(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_include(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_import(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_from(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_extends(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_block(struct statement *statement, struct parser *parser);

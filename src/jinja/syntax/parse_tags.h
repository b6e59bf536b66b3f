/* The tags of macros and of other templates; and the bodies of all tags. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/parser.h"

/* A tag whose body is being read: what may end it. */
struct opener {
    const char *name;
    size_t offset;
    const char *const *ends; /* the last one closes it */
    size_t end_count;
};

/* The body of a tag. The rest of the tag is taken; the current token is then the ending's name. */
TG_CHECKED int parse_body(struct statement **out, struct parser *parser,
                          const struct opener *opener);
/* Likewise, up to the only ending, which is taken, too. */
TG_CHECKED int parse_whole_body(struct statement **out, struct parser *parser, const char *name,
                                size_t offset, const char *end);
/* Likewise; the body's text becomes a value, so that it is printed wherever it stands. */
TG_CHECKED int parse_captured_body(struct statement **out, struct parser *parser, const char *name,
                                   size_t offset, const char *end);
/* A keyword that must be there. */
TG_CHECKED int parse_word(struct parser *parser, const char *word);

/*
 * The tags of macros, and those that name other templates or are replaced by them. The current
 * token is the one behind the tag's name; then the end of the tag that closes it.
 */
TG_CHECKED int parse_macro(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_call_block(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_include(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_import(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_from(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_extends(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_block(struct statement *statement, struct parser *parser);

/* The tags of macros: `macro` and `call`. */
#ifndef TMPLGEN_PARSE_MACRO_H
#define TMPLGEN_PARSE_MACRO_H

#include "base/err.h"

struct parser;
struct statement;

/* The current token is the one behind the tag's name; then the end of the tag that closes it. */
TG_CHECKED int parse_macro(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_call_block(struct statement *statement, struct parser *parser);

#endif

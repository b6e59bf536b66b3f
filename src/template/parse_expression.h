/* From tokens to expressions. */
#ifndef TMPLGEN_TEMPLATE_PARSE_EXPRESSION_H
#define TMPLGEN_TEMPLATE_PARSE_EXPRESSION_H

#include "base/err.h"
#include "template/ast.h"
#include "template/parser.h"

TG_CHECKED int parse_expression(struct node **out, struct parser *parser);
/* With commas a tuple; the plain one without an inline if. */
TG_CHECKED int parse_plain_tuple(struct node **out, struct parser *parser);
TG_CHECKED int parse_tuple(struct node **out, struct parser *parser);
/* A name, or a tuple of names, to be assigned to. */
TG_CHECKED int parse_target(struct node **out, struct parser *parser);
/* "NAME(arguments) | NAME ..." with `node` (or NULL) as what is filtered. */
TG_CHECKED int parse_filters(struct node **out, struct parser *parser, struct node *node);

#endif

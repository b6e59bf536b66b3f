/* Parses tokens into expressions. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/parser.h"

TG_CHECKED int parse_expression(struct node **out, struct parser *parser);
/* An expression; with commas, a tuple. The plain form has no inline if. */
TG_CHECKED int parse_plain_tuple(struct node **out, struct parser *parser);
TG_CHECKED int parse_tuple(struct node **out, struct parser *parser);
/* A name, or a tuple of names, as assignment target. */
TG_CHECKED int parse_target(struct node **out, struct parser *parser);
/* The same; attributes of namespaces are allowed. */
TG_CHECKED int parse_set_target(struct node **out, struct parser *parser);
/* The same, for variables that exist only in a body. */
TG_CHECKED int parse_with_target(struct node **out, struct parser *parser);
/* "NAME(arguments) | NAME ..." applied to `node` (may be NULL). */
TG_CHECKED int parse_filters(struct node **out, struct parser *parser, struct node *node);
/* "NAME(arguments) | NAME ..." for the text of a body. */
TG_CHECKED int parse_filter_chain(struct node **out, struct parser *parser);

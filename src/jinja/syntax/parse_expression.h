/* From tokens to expressions. */
#pragma once

#include "base/err.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/parser.h"

TG_CHECKED int parse_expression(struct node **out, struct parser *parser);
/* With commas a tuple; the plain one without an inline if. */
TG_CHECKED int parse_plain_tuple(struct node **out, struct parser *parser);
TG_CHECKED int parse_tuple(struct node **out, struct parser *parser);
/* A name, or a tuple of names, to be assigned to. */
TG_CHECKED int parse_target(struct node **out, struct parser *parser);
/* Likewise; attributes of namespaces may be among them. */
TG_CHECKED int parse_set_target(struct node **out, struct parser *parser);
/* Likewise; of variables that are there for a body alone. */
TG_CHECKED int parse_with_target(struct node **out, struct parser *parser);
/* "NAME(arguments) | NAME ..." with `node` (or NULL) as what is filtered. */
TG_CHECKED int parse_filters(struct node **out, struct parser *parser, struct node *node);
/* "NAME(arguments) | NAME ..." for the text of a body. */
TG_CHECKED int parse_filter_chain(struct node **out, struct parser *parser);

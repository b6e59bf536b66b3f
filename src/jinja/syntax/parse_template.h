/* The tags that name other templates, or are replaced by them: `include`, `import`, `from`,
 * `extends`, `block`. */
#ifndef TMPLGEN_PARSE_TEMPLATE_H
#define TMPLGEN_PARSE_TEMPLATE_H

#include "base/err.h"

struct parser;
struct statement;

/* The current token is the one behind the tag's name; then the end of the tag that closes it. */
TG_CHECKED int parse_include(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_import(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_from(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_extends(struct statement *statement, struct parser *parser);
TG_CHECKED int parse_block(struct statement *statement, struct parser *parser);

#endif

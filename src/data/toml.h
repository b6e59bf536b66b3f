/* TOML 1.0: validates a document, and visits the texts in it. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/*
 * Follows the specification, and where that leaves a choice, Python's tomllib, which reads most
 * pyproject.toml files: integers of any size, seconds up to 59, years from 1, no byte order mark. A
 * document over LIMIT_TOML_BYTES, or with arrays and inline tables nested deeper than
 * LIMIT_DOCUMENT_DEPTH, is invalid.
 */
bool toml_valid(struct span source);

/*
 * Calls `visit` for every text of a document. `path` is the keys that lead to the text, joined by
 * dots; an array adds none of its own. Both arguments live until `visit` returns. Skips texts whose
 * path exceeds TOML_PATH_BYTES: no caller looks for them. Returns false if the document is not
 * valid; some texts may then have been visited.
 */
enum { TOML_PATH_BYTES = 256 };
typedef void toml_visitor(void *context, const char *path, const char *text);
bool toml_each_text(struct span source, toml_visitor *visit, void *context);

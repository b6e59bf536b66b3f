/* TOML 1.0: whether a document is valid, and the texts in it. */
#pragma once

#include "base/str.h"

#include <stdbool.h>

/*
 * As the specification has it, and where that leaves room, as Python's tomllib, which reads most
 * pyproject.toml files: integers may be of any size, seconds end at 59, years begin with 1, a byte
 * order mark is an error. A document over LIMIT_TOML_BYTES, or with arrays and inline tables
 * deeper than LIMIT_DOCUMENT_DEPTH, is taken for invalid.
 */
bool toml_valid(struct span source);

/*
 * Calls for every text of a valid document, with the keys that lead to it, joined by dots: those of
 * an array have its key, those of an inline table that table's and their own. Both live until it
 * returns. A path that takes more than TOML_PATH_BYTES is passed over: nobody looks for it. False
 * where the document is not valid; then some may have been visited.
 */
enum { TOML_PATH_BYTES = 256 };
typedef void toml_visitor(void *context, const char *path, const char *text);
bool toml_each_text(struct span source, toml_visitor *visit, void *context);

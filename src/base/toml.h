/* TOML 1.0: whether a document is valid. Nothing is made of it. */
#ifndef TMPLGEN_BASE_TOML_H
#define TMPLGEN_BASE_TOML_H

#include "base/str.h"

#include <stdbool.h>

/*
 * As the specification has it, and where that leaves room, as Python's tomllib, which reads most
 * pyproject.toml files: integers may be of any size, seconds end at 59, years begin with 1, a byte
 * order mark is an error. A document over LIMIT_TOML_BYTES, or with arrays and inline tables
 * deeper than LIMIT_DOCUMENT_DEPTH, is taken for invalid.
 */
bool toml_valid(struct span source);

#endif

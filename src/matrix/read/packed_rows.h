/* The rows of a file of matrices/, read beforehand: bytes that need no parsing of YAML. */
#ifndef TMPLGEN_PACKED_ROWS_H
#define TMPLGEN_PACKED_ROWS_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct document;

/*
 * Appends what the file `path` says, given its text; `out` may overflow. Exit 2 where that is not
 * valid, or no file of a matrix.
 */
TG_CHECKED int rows_pack(struct buf *out, const char *path, struct span text, struct err *err);

/*
 * Fills `out` as document_read does, but rows have no places in a file. Texts point into `bytes`,
 * which are trusted: only what rows_pack of this very build made may be given.
 */
TG_CHECKED int rows_unpack(void *out, const struct document *document, struct arena *arena,
                           struct span bytes, struct err *err);

#endif

/* JSON: writes data for other programs, and reads foreign documents into data. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct data;

/*
 * Appends `data` and a newline: indented by two blanks a level if `pretty`, else one line without
 * blanks. Keeps the order of names. Writes control, bidirectional and other invisible characters as
 * \uNNNN, so that the text is safe on a terminal; does not escape '/'. Returns -1, with `out`
 * overflowed for good, if `out` is full, or `data` nests deeper than JSON_WRITE_DEPTH or holds inf
 * or nan, which JSON lacks.
 */
#define JSON_WRITE_DEPTH 128
int json_write(struct buf *out, const struct data *data, bool pretty);

/*
 * Reads one UTF-8 document; a byte order mark is allowed. Exit 2, with the place, for invalid JSON,
 * duplicate keys, NUL in texts, integers over 64 bits (code "invalid"), and for depth or size over
 * LIMIT_DOCUMENT_* (code "limit").
 */
TG_CHECKED int json_parse(struct data **out, struct arena *arena, const char *name,
                          struct span source, struct err *err);
/* The same with a size limit of `max` bytes. */
TG_CHECKED int json_parse_large(struct data **out, struct arena *arena, const char *name,
                                struct span source, size_t max, struct err *err);

/* JSON: data written for other programs, foreign documents read into data. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct data;

/*
 * Appends `data` and a newline: two blanks a level where `pretty`, else one line without blanks.
 * Names keep their order. Control, bidirectional and other characters that do not show are written
 * as \uNNNN, so that the text is safe on a terminal; a '/' is not escaped. -1, with `out`
 * overflowed for good: `out` is full, `data` nests deeper than JSON_WRITE_DEPTH, or holds inf or
 * nan, which JSON cannot say.
 */
#define JSON_WRITE_DEPTH 128
int json_write(struct buf *out, const struct data *data, bool pretty);

/*
 * Reads one document of UTF-8, with or without a byte order mark. Refused, with exit 2 and place:
 * whatever is not JSON, duplicate keys, NUL in texts, numbers that do not fit (64 bits), depth and
 * size over the limits (LIMIT_DOCUMENT_*; code "limit", else "invalid").
 */
TG_CHECKED int json_parse(struct data **out, struct arena *arena, const char *name,
                          struct span source, struct err *err);
/* The same with another limit on its size. */
TG_CHECKED int json_parse_large(struct data **out, struct arena *arena, const char *name,
                                struct span source, size_t max, struct err *err);

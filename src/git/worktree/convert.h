/* Git's built-in conversion of line endings between disk and objects. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/read/attributes.h"

#include <stdbool.h>

struct buf;

/* core.autocrlf, core.eol. */
struct convert_config {
    enum { AUTOCRLF_FALSE, AUTOCRLF_TRUE, AUTOCRLF_INPUT } autocrlf;
    bool eol_crlf; /* core.eol = crlf */
};

enum convert_kind {
    CONVERT_NONE, /* unchanged */
    CONVERT_TEXT_LF,
    CONVERT_TEXT_CRLF,
    CONVERT_AUTO_LF, /* text if it looks like text */
    CONVERT_AUTO_CRLF,
};

/*
 * The conversion for a file with these attributes. Refuses (3, "filter") what only git can apply: a
 * filter driver, `ident`, or another encoding on disk. `path` is for the message.
 */
TG_CHECKED int convert_choose(enum convert_kind *out, const struct convert_config *config,
                              const struct attribute_value values[ATTRIBUTES], const char *path,
                              struct err *err);

/*
 * Converts from disk to object. `known` is the file's content in HEAD, or empty: if that has CRLF,
 * a file that only looks like text keeps its CRLF, as in git. False: no change.
 */
bool convert_to_object(struct buf *out, enum convert_kind kind, struct span disk,
                       struct span known);
/* Converts from object to disk. False: no change. */
bool convert_to_disk(struct buf *out, enum convert_kind kind, struct span object);

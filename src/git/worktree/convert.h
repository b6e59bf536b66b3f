/* Line endings: git's built-in conversion between what lies on disk and what is in objects. */
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
    CONVERT_NONE, /* bytes as they are */
    CONVERT_TEXT_LF,
    CONVERT_TEXT_CRLF,
    CONVERT_AUTO_LF, /* text, if it looks so */
    CONVERT_AUTO_CRLF,
};

/*
 * What holds for a file with these attributes. Refused (3, "filter"): a filter driver, `ident`, and
 * another encoding on disk, which only git itself can apply; `path` is for the message.
 */
TG_CHECKED int convert_choose(enum convert_kind *out, const struct convert_config *config,
                              const struct attribute_value values[ATTRIBUTES], const char *path,
                              struct err *err);

/*
 * Disk to object. `known` is the content of the file in HEAD (or an empty span): where that has
 * CRLF, a file that is only taken for text keeps its own, as in git. False: nothing changes.
 */
bool convert_to_object(struct buf *out, enum convert_kind kind, struct span disk,
                       struct span known);
/* Object to disk. False: nothing changes. */
bool convert_to_disk(struct buf *out, enum convert_kind kind, struct span object);

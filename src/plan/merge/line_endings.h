/* Line endings: a text whose lines end otherwise is still the same text. */
#ifndef TMPLGEN_LINE_ENDINGS_H
#define TMPLGEN_LINE_ENDINGS_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;

enum endings {
    ENDINGS_NONE, /* not one line ends */
    ENDINGS_LF,
    ENDINGS_CRLF,
    ENDINGS_MIXED, /* some LF, some CRLF */
    ENDINGS_OTHER, /* a NUL, or a CR without its LF, as old Mac had it: bytes as they are */
};

enum endings endings_of(struct span text);
/* True where more lines end in CRLF than in LF alone. */
bool endings_mostly_crlf(struct span text);
/* True where nothing but line endings differs; never for ENDINGS_OTHER. */
bool endings_alike(struct span a, struct span b);

/* The text with every line ended so; a last line without an end stays without. */
struct span endings_set(struct arena *arena, struct span text, bool crlf);
/*
 * The text with the endings of `like` on every line that both have, as a diff finds them, and on
 * the others those of the lines that they replace or follow, or else `crlf` or LF.
 */
TG_CHECKED int endings_follow(struct span *out, struct arena *arena, struct span text,
                              struct span like, bool crlf, struct err *err);

#endif

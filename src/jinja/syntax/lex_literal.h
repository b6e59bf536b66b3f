/* Literals inside tags: texts with their escapes, integers, floats. */
#ifndef TMPLGEN_LEX_LITERAL_H
#define TMPLGEN_LEX_LITERAL_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct token;

struct literal {
    struct span source;
    size_t pos; /* in: where to look; out: behind the literal */
    bool found;
    size_t bad; /* on failure: the byte to blame */
};

/* Reads the literal at `pos`, if there is one. The error's place is the caller's to set. */
TG_CHECKED int literal_read(struct token *out, struct literal *literal, struct arena *arena,
                            struct err *err);

#endif

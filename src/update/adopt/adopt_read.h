/* Reads clues in a repository's files: names, requirements, Pythons, a template's answers. */
#pragma once

#include "base/str.h"

#include <stddef.h>

struct arena;
struct child;

enum clue_kind {
    FOUND_ANSWER,      /* to the question `name`, if there is one */
    FOUND_REQUIREMENT, /* of a package, as pip has it: "torch==2.4.1" */
    FOUND_PYTHON       /* a SPEC */
};

struct clue {
    enum clue_kind kind;
    const char *name; /* only of an answer */
    const char *value;
    const char *from; /* the file */
};

struct clues {
    struct clue *items; /* the most reliable first */
    size_t count;
    struct words warnings; /* about files that could not be read */
};

/* Reads HEAD's files. Everything lives in the arena. */
void adopt_read(struct clues *out, struct arena *arena, const struct child *child);

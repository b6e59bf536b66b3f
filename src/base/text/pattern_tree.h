/* The syntax tree of a pattern. */
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum pattern_kind {
    PATTERN_CHARACTER,
    PATTERN_ANY,
    PATTERN_SET,
    PATTERN_BEGIN,
    PATTERN_END,
    PATTERN_CHOICE, /* between its parts, each a sequence */
    PATTERN_SEQUENCE,
    PATTERN_REPEAT, /* has one part */
};

#define PATTERN_WITHOUT_END SIZE_MAX

struct pattern_range {
    uint32_t first, last;
};

struct pattern_node {
    enum pattern_kind kind;
    size_t states; /* states of this node and its parts: 1 to LIMIT_PATTERN_STATES */
    struct pattern_node *parts, *next; /* the first part; the next sibling */
    uint32_t character;
    size_t least, most; /* of a repetition */
    struct pattern_range *ranges;
    size_t range_count;
    bool negated; /* the set is of all other characters */
};

/* Parses a pattern. Else code "invalid" or "limit", a hint, and the byte `*at` to blame. */
TG_CHECKED int pattern_parse(struct pattern_node **out, size_t *at, struct arena *arena,
                             struct span pattern, struct err *err);

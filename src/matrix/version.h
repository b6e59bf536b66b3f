/* PEP 440: versions, and the SPECs that select them. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define VERSION_PARTS 8 /* numbers in the release segment; more is invalid */

/*
 * The parts of a version that determine its order. `text` is borrowed. `pre`, `post` and `dev` are
 * encoded so that comparing numbers gives the order of PEP 440; see version.c. Drivers
 * (535.104.05), CUDA (12.6.3) and Pythons (3.12) are such versions, too.
 */
struct version {
    const char *text;
    uint64_t epoch;
    uint64_t release[VERSION_PARTS];
    size_t count;
    int pre_kind;
    int64_t pre, post, dev;
    struct span local;
};

/* Returns -1 if `text` is not a version of PEP 440, or has numbers over 10^18; else 0. */
TG_CHECKED int version_parse(struct version *out, const char *text);
/* Less than, equal to, greater than 0. */
int version_compare(const struct version *a, const struct version *b);
/* The same for the first `parts` numbers of the release only: with 2, 12.6.3 equals 12.6. */
int version_compare_parts(const struct version *a, const struct version *b, size_t parts);
bool version_is_prerelease(const struct version *version);

enum spec_op { SPEC_EQ, SPEC_NE, SPEC_GE, SPEC_LE, SPEC_GT, SPEC_LT, SPEC_COMPATIBLE };

struct spec_clause {
    enum spec_op op;
    bool wildcard; /* == or != with .* */
    struct version version;
};

/* A version must match every clause; without clauses every version matches. */
struct spec {
    const char *text;
    struct spec_clause *clauses;
    size_t count;
};

/*
 * `==2.4.*`, `>=2.3,<2.6`, `~=2.4`, `!=2.4.1`; a plain `2.4` means `==2.4.*`. Empty: any version.
 * Exit 2, "invalid-spec", if the form is wrong; `what` is its name there ("--python").
 */
TG_CHECKED int spec_parse(struct spec *out, struct arena *arena, const char *text, const char *what,
                          struct err *err);
/* A pre-release matches only if the SPEC itself names one. */
bool spec_matches(const struct spec *spec, const struct version *version);
/* Whether some version could meet both. */
bool spec_overlaps(const struct spec *a, const struct spec *b);
/* Whether they are met by the same versions, however they are written: `~=2.4`, `<3,>=2.4`. */
bool spec_same(const struct spec *a, const struct spec *b);
/* Whether it matches a single version: `==2.4.1`. */
bool spec_is_exact(const struct spec *spec);

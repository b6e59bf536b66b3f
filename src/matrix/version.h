/* PEP 440: versions, and the SPECs that select them. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define VERSION_PARTS 8 /* numbers in the release segment; more of them: not a version */

/*
 * What order needs of a version. `text` is borrowed. `pre`, `post` and `dev` are so that plain
 * comparison of the numbers is PEP 440's order; see version.c. Drivers (535.104.05), CUDA (12.6.3)
 * and Pythons (3.12) are such versions too.
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

/* 0, or -1 where `text` is no version of PEP 440 (or has numbers past 10^18). */
TG_CHECKED int version_parse(struct version *out, const char *text);
/* Less than, equal to, greater than 0. */
int version_compare(const struct version *a, const struct version *b);
/* The same, looking only at the first `parts` numbers of the release: 12.6.3 and 12.6 for 2. */
int version_compare_parts(const struct version *a, const struct version *b, size_t parts);
bool version_is_prerelease(const struct version *version);

enum spec_op { SPEC_EQ, SPEC_NE, SPEC_GE, SPEC_LE, SPEC_GT, SPEC_LT, SPEC_COMPATIBLE };

struct spec_clause {
    enum spec_op op;
    bool wildcard; /* == or != with .* */
    struct version version;
};

/* A version must meet every clause; no clause at all: any version. */
struct spec {
    const char *text;
    struct spec_clause *clauses;
    size_t count;
};

/*
 * `==2.4.*`, `>=2.3,<2.6`, `~=2.4`, `!=2.4.1`; a bare `2.4` means `==2.4.*`. Empty: any version.
 * Exit 2, "invalid-spec", where it is not of that form; `what` names it ("--python").
 */
TG_CHECKED int spec_parse(struct spec *out, struct arena *arena, const char *text, const char *what,
                          struct err *err);
/* Pre-releases meet a SPEC only where it names one itself. */
bool spec_matches(const struct spec *spec, const struct version *version);
/* Whether some version could meet both. */
bool spec_overlaps(const struct spec *a, const struct spec *b);
/* Whether they are met by the same versions, however they are written: `~=2.4`, `<3,>=2.4`. */
bool spec_same(const struct spec *a, const struct spec *b);
/* One version and no other: `==2.4.1`. */
bool spec_is_exact(const struct spec *spec);

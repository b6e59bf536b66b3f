/* Semantic versions (semver.org 2.0), and tags that are one. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct semver {
    uint64_t parts[3];
    struct span prerelease; /* "rc.1", borrowed; empty: a release */
};

/* MAJOR.MINOR.PATCH with an optional -PRERELEASE and +BUILD; false where it is no such text. */
bool semver_parse(struct semver *out, const char *text);
/* The same behind an optional "v", as tags have it. */
bool semver_parse_tag(struct semver *out, const char *tag);
/* Less than, equal to, greater than 0. */
int semver_compare(const struct semver *a, const struct semver *b);
bool semver_is_release(const struct semver *version);

/* What a version policy admits: from `first` up to, but not including, `end`. */
struct semver_range {
    struct semver first, end;
};

/*
 * "^1.2" (the same major version, of 0.x the same minor, and not older), "~1.4" (the same minor
 * version; "~1": the same major), "1.x", "1.2.x". False where it is no such text.
 */
bool semver_range_parse(struct semver_range *out, const char *text);
bool semver_range_has(const struct semver_range *range, const struct semver *version);

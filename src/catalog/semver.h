/* Semantic versions (semver.org 2.0), and tags with such names. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct semver {
    uint64_t parts[3];
    struct span prerelease; /* "rc.1", borrowed; empty: a release */
};

/* Parses MAJOR.MINOR.PATCH with optional -PRERELEASE and +BUILD; false if the text is invalid. */
bool semver_parse(struct semver *out, const char *text);
/* The same with an optional "v" before it, as in tags. */
bool semver_parse_tag(struct semver *out, const char *tag);
/* Less than, equal to, greater than 0. */
int semver_compare(const struct semver *a, const struct semver *b);
bool semver_is_release(const struct semver *version);

/* The versions that a policy admits: from `first` up to, but not including, `end`. */
struct semver_range {
    struct semver first, end;
};

/*
 * Parses "^1.2" (same major version, for 0.x same minor, and not older), "~1.4" (same minor
 * version; "~1": same major), "1.x" or "1.2.x". False if the text is invalid.
 */
bool semver_range_parse(struct semver_range *out, const char *text);
bool semver_range_has(const struct semver_range *range, const struct semver *version);

/* Semantic versions (semver.org 2.0), and tags that are one. */
#ifndef TMPLGEN_CATALOG_SEMVER_H
#define TMPLGEN_CATALOG_SEMVER_H

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

#endif

/* Reads a catalog's CHANGELOG.md (keepachangelog.com): the changes of each version. */
#pragma once

#include "base/str.h"

#include <stddef.h>

struct semver;

#define CHANGELOG_PATH "CHANGELOG.md"

struct changelog_section {
    const char *version; /* as in its heading, without "v" */
    struct span text;    /* text below the heading, borrowed */
};

/*
 * The sections with `after` < version <= `until` by semver.org's order, newest first; the first of
 * two for one version. A section begins with a heading of level 1 or 2 that starts with a version:
 * "## [1.2.0] - 2026-01-01", "## 1.2.0", "# v1.2.0". "Unreleased" is skipped.
 */
size_t changelog_sections(struct changelog_section **out, struct arena *arena, struct span text,
                          const struct semver *after, const struct semver *until);

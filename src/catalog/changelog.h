/* A catalog's CHANGELOG.md, as keepachangelog.com has it: what each version brings. */
#pragma once

#include "base/str.h"

#include <stddef.h>

struct semver;

#define CHANGELOG_PATH "CHANGELOG.md"

struct changelog_section {
    const char *version; /* as its heading says it, without "v" */
    struct span text;    /* what stands below the heading, borrowed */
};

/*
 * The sections with `after` < version <= `until` by semver.org's order, newest first; of two for
 * one version the first. A section begins with a heading of the first or second level that starts
 * with a version: "## [1.2.0] - 2026-01-01", "## 1.2.0", "# v1.2.0". "Unreleased" is none.
 */
size_t changelog_sections(struct changelog_section **out, struct arena *arena, struct span text,
                          const struct semver *after, const struct semver *until);

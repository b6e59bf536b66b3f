/* Named revisions of a catalog: the possible targets of an update. */
#pragma once

#include "base/err.h"
#include <stdbool.h>

#include <stddef.h>

struct arena;
struct semver_range;

enum revision_kind { REVISION_TAG, REVISION_BRANCH };

struct catalog_revision {
    enum revision_kind kind;
    const char *name;   /* "v1.2.0", "main" */
    const char *commit; /* 40 hex digits; tags are peeled */
    const char *object; /* of a tag: the object it names, NULL if unknown */
};

/* Splits "refs/tags/v1.0.0" or "refs/heads/main" into kind and name; false for any other ref. */
bool revision_split(enum revision_kind *kind, const char **name, const char *ref);
/* The one with that kind and name, or NULL. */
const struct catalog_revision *revision_find(const struct catalog_revision *revisions, size_t count,
                                             enum revision_kind kind, const char *name);
/*
 * The tag with the highest semantic version, within `range` unless that is NULL; pre-releases count
 * only on request. NULL if there is none.
 */
const struct catalog_revision *revision_newest(const struct catalog_revision *revisions,
                                               size_t count, const struct semver_range *range,
                                               bool prereleases);
/*
 * Finds what a user names: a tag, else a branch, else the newest release that a policy such as
 * "^1.2" admits; or NULL. `*shown` is the name for the record: a policy, so that updates follow it.
 */
const struct catalog_revision *revision_choose(const char **shown,
                                               const struct catalog_revision *revisions,
                                               size_t count, const char *ref);
/* Whether it may be a commit id, in full or at least its first 7 digits. */
bool revision_is_id(const char *ref);
/* Exit 2, "unknown-ref", with the nearest name. */
int revision_unknown(struct err *err, struct arena *arena, const char *source, const char *ref,
                     const struct catalog_revision *revisions, size_t count);
#ifndef TG_REVISION_C
#define revision_unknown(...) err_minus_one(revision_unknown(__VA_ARGS__))
#endif

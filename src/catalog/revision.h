/* The revisions of a catalog that have names: what an update can go to. */
#ifndef TMPLGEN_CATALOG_REVISION_H
#define TMPLGEN_CATALOG_REVISION_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum revision_kind { REVISION_TAG, REVISION_BRANCH };

struct catalog_revision {
    enum revision_kind kind;
    const char *name;   /* "v1.2.0", "main" */
    const char *commit; /* 40 hex digits; tags are peeled */
};

/*
 * Tags and branches of `source`, as catalog_open takes it; releases of the built-in one. None where
 * it is a folder without history. Errors as those of catalog_open.
 */
TG_CHECKED int catalog_revisions(struct catalog_revision **out, size_t *count, struct arena *arena,
                                 const char *source, struct err *err);

/* The one with that kind and name, or NULL. */
const struct catalog_revision *revision_find(const struct catalog_revision *revisions, size_t count,
                                             enum revision_kind kind, const char *name);
/* The tag with the highest semantic version, pre-releases only where told; or NULL. */
const struct catalog_revision *revision_newest(const struct catalog_revision *revisions,
                                               size_t count, bool prereleases);

/* One kind of source each; `path` is a folder on this machine. */
TG_CHECKED int revisions_of_builtin(struct catalog_revision **out, size_t *count,
                                    struct arena *arena, struct err *err);
TG_CHECKED int revisions_of_git(struct catalog_revision **out, size_t *count, struct arena *arena,
                                const char *path, struct err *err);
/* Whether `path` is a git repository itself, with or without a work tree. */
bool catalog_is_git(const char *path);

#endif

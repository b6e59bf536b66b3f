/* The revisions of a catalog that have names: what an update can go to. */
#ifndef TMPLGEN_CATALOG_REVISION_H
#define TMPLGEN_CATALOG_REVISION_H

#include <stdbool.h>
#include <stddef.h>

enum revision_kind { REVISION_TAG, REVISION_BRANCH };

struct catalog_revision {
    enum revision_kind kind;
    const char *name;   /* "v1.2.0", "main" */
    const char *commit; /* 40 hex digits; tags are peeled */
};

/* The one with that kind and name, or NULL. */
const struct catalog_revision *revision_find(const struct catalog_revision *revisions, size_t count,
                                             enum revision_kind kind, const char *name);
/* The tag with the highest semantic version, pre-releases only where told; or NULL. */
const struct catalog_revision *revision_newest(const struct catalog_revision *revisions,
                                               size_t count, bool prereleases);

#endif

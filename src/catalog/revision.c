/* The revisions of a catalog that have names: what an update can go to. */
#include "catalog/revision.h"

#include "catalog/semver.h"

#include <string.h>

const struct catalog_revision *revision_find(const struct catalog_revision *revisions, size_t count,
                                             enum revision_kind kind, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (revisions[i].kind == kind && strcmp(revisions[i].name, name) == 0)
            return &revisions[i];
    return NULL;
}

const struct catalog_revision *revision_newest(const struct catalog_revision *revisions,
                                               size_t count, bool prereleases)
{
    const struct catalog_revision *best = NULL;
    struct semver best_version, version;
    for (size_t i = 0; i < count; i++) {
        if (revisions[i].kind != REVISION_TAG || !semver_parse_tag(&version, revisions[i].name) ||
            (!prereleases && !semver_is_release(&version)) ||
            (best && semver_compare(&version, &best_version) <= 0))
            continue;
        best = &revisions[i];
        best_version = version;
    }
    return best;
}

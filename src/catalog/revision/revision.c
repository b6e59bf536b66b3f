/* The revisions of a catalog that have names: what an update can go to. */
#define TG_REVISION_C
#include "catalog/revision.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/semver.h"

#include <string.h>

enum { SHORTEST_ID = 7, ID_DIGITS = 40 }; /* of a commit */

const struct catalog_revision *revision_find(const struct catalog_revision *revisions, size_t count,
                                             enum revision_kind kind, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (revisions[i].kind == kind && strcmp(revisions[i].name, name) == 0)
            return &revisions[i];
    return NULL;
}

const struct catalog_revision *revision_newest(const struct catalog_revision *revisions,
                                               size_t count, const struct semver_range *range,
                                               bool prereleases)
{
    const struct catalog_revision *best = NULL;
    struct semver best_version, version;
    for (size_t i = 0; i < count; i++) {
        if (revisions[i].kind != REVISION_TAG || !semver_parse_tag(&version, revisions[i].name) ||
            (!prereleases && !semver_is_release(&version)) ||
            (range && !semver_range_has(range, &version)) ||
            (best && semver_compare(&version, &best_version) <= 0))
            continue;
        best = &revisions[i];
        best_version = version;
    }
    return best;
}

const struct catalog_revision *revision_choose(const char **shown,
                                               const struct catalog_revision *revisions,
                                               size_t count, const char *ref)
{
    struct semver_range range;
    const struct catalog_revision *found = revision_find(revisions, count, REVISION_TAG, ref);
    if (!found)
        found = revision_find(revisions, count, REVISION_BRANCH, ref);
    if (!found && semver_range_parse(&range, ref))
        found = revision_newest(revisions, count, &range, false);
    *shown = ref;
    return found;
}

bool revision_is_id(const char *ref)
{
    size_t len = strlen(ref);
    return len >= SHORTEST_ID && len <= ID_DIGITS && strspn(ref, "0123456789abcdef") == len;
}

int revision_unknown(struct err *err, struct arena *arena, const char *source, const char *ref,
                     const struct catalog_revision *revisions, size_t count)
{
    struct semver_range range;
    const char **names = arena_array(arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = revisions[i].name;
    const char *nearest = str_nearest(ref, names, count);
    if (!nearest) /* v1.2 is no slip, but short for v1.2.0 */
        nearest = str_nearest(arena_printf(arena, "%s.0", ref), names, count);
    if (semver_range_parse(&range, ref))
        (void)err_set(err, TG_USAGE, "unknown-ref",
                      "the catalog '%s' has no release that '%s' admits", source, ref);
    else
        (void)err_set(err, TG_USAGE, "unknown-ref",
                      "the catalog '%s' has no tag, branch or commit '%s'", source, ref);
    return nearest ? err_hint(err, "did you mean '%s'?", nearest) : -1;
}

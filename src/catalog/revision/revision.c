/* Named revisions of catalogs, and chains of origins. */
#define TG_REVISION_C
#include "catalog/revision.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/origin.h"
#include "catalog/semver.h"
#include "data/document.h"

#include <string.h>

enum { SHORTEST_ID = 7, ID_DIGITS = 40 }; /* of a commit */

bool revision_split(enum revision_kind *kind, const char **name, const char *ref)
{
    static const char tags[] = "refs/tags/", heads[] = "refs/heads/";
    bool is_tag = str_starts(ref, tags);
    if (!is_tag && !str_starts(ref, heads))
        return false;
    *kind = is_tag ? REVISION_TAG : REVISION_BRANCH;
    *name = ref + strlen(is_tag ? tags : heads);
    return true;
}

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
    if (!nearest) /* v1.2 is short for v1.2.0 rather than a typing error */
        nearest = str_nearest(arena_printf(arena, "%s.0", ref), names, count);
    if (semver_range_parse(&range, ref))
        (void)err_set(err, TG_USAGE, "unknown-ref",
                      "the catalog '%s' has no release that '%s' admits", source, ref);
    else
        (void)err_set(err, TG_USAGE, "unknown-ref",
                      "the catalog '%s' has no tag, branch or commit '%s'", source, ref);
    return nearest ? err_hint(err, "did you mean '%s'?", nearest) : -1;
}

/* ---------------------------------------------------------------- chains */

bool origin_is_same_commit(const struct catalog_origin *a, const struct catalog_origin *b)
{
    for (; a && b; a = a->extends, b = b->extends)
        if (!a->commit || !b->commit || strcmp(a->commit, b->commit) != 0)
            return false;
    return !a && !b;
}

bool origin_is_equal(const struct catalog_origin *a, const struct catalog_origin *b)
{
    for (; a && b; a = a->extends, b = b->extends)
        if (!str_equal(a->source, b->source) || !str_equal(a->ref, b->ref) ||
            !str_equal(a->commit, b->commit) || !str_equal(a->version, b->version))
            return false;
    return !a && !b;
}

int origin_compare(const struct catalog_origin *a, const struct catalog_origin *b)
{
    struct semver left, right;
    for (; a && b; a = a->extends, b = b->extends) {
        if (!semver_parse(&left, a->version) || !semver_parse(&right, b->version))
            return 0;
        int order = semver_compare(&left, &right);
        if (order)
            return order;
    }
    return 0;
}

bool origin_is_same_source(const char *a, const char *b)
{
    const char *left = source_path(a), *right = source_path(b); /* file://PATH is that PATH */
    return strcmp(a, b) == 0 || (left && right && strcmp(left, right) == 0);
}

const struct catalog_origin *origin_like(const struct catalog_origin *recorded, const char *source,
                                         size_t depth)
{
    for (const struct catalog_origin *o = recorded; o; o = o->extends)
        if (origin_is_same_source(o->source, source))
            return o;
    while (recorded && depth-- > 0)
        recorded = recorded->extends;
    return recorded;
}

const char *origin_words(struct arena *arena, const struct catalog_origin *origin)
{
    const char *text = origin->version;
    while ((origin = origin->extends))
        text = arena_printf(arena, "%s on %s", text, origin->version);
    return text;
}

const char *origin_words_of(struct arena *arena, const char *version, const struct data *extends)
{
    for (; version && extends; extends = data_get(extends, "extends"))
        version = arena_printf(arena, "%s on %s", version, data_get_text(extends, "version"));
    return version;
}

struct data *origin_data(struct arena *arena, const struct catalog_origin *origin)
{
    if (!origin || !origin->version)
        return data_null(arena);
    struct data *map =
        data_of(arena, FIELD("version", origin->version), FIELD("commit", origin->commit));
    if (origin->extends)
        data_put(arena, map, "extends", origin_data(arena, origin->extends));
    return map;
}

struct data *origin_record(struct arena *arena, const struct catalog_origin *origin)
{
    struct data *map = data_of(arena, FIELD("source", origin->source), FIELD("ref", origin->ref),
                               FIELD("commit", origin->commit), FIELD("version", origin->version));
    if (origin->extends)
        data_put(arena, map, "extends", origin_record(arena, origin->extends));
    return map;
}

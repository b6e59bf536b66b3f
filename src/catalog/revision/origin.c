/* Revisions of catalogs that build on each other: a chain of origins, the catalog's own first. */
#include "catalog/origin.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/semver.h"
#include "data/document.h"

#include <string.h>

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
                                         size_t level)
{
    for (const struct catalog_origin *o = recorded; o; o = o->extends)
        if (origin_is_same_source(o->source, source))
            return o;
    while (recorded && level-- > 0)
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

/* Lookups in a sorted set of files. */
#include "data/fileset.h"

#include "data/yaml.h"

#include <string.h>

size_t fileset_lower_bound(const struct fileset *set, const char *prefix)
{
    return str_lower_bound(prefix, set->entries, set->count, sizeof(*set->entries));
}

long fileset_find(const struct fileset *set, const char *path)
{
    size_t index = fileset_lower_bound(set, path);
    if (index < set->count && strcmp(set->entries[index].path, path) == 0)
        return (long)index;
    return -1;
}

int fileset_get(struct span *out, const struct fileset *set, const char *path, struct err *err)
{
    long index = fileset_find(set, path);
    if (index < 0)
        return err_set(err, TG_USAGE, "missing-file", "the catalog has no file '%s'", path);
    return set->read(out, set, (size_t)index, err);
}

int fileset_equal(bool *out, const struct fileset *a, const struct fileset *b, struct err *err)
{
    *out = a->count == b->count;
    for (size_t i = 0; *out && i < a->count; i++) {
        const struct fileset_entry *one = &a->entries[i], *other = &b->entries[i];
        struct span left, right;
        *out = strcmp(one->path, other->path) == 0 && one->executable == other->executable;
        if (!*out)
            break;
        if (a->read(&left, a, i, err) < 0 || b->read(&right, b, i, err) < 0)
            return -1;
        *out = span_equal(left, right);
    }
    return 0;
}

int fileset_document(struct yaml_doc **out, struct arena *arena, const struct fileset *set,
                     const char *path, struct err *err)
{
    struct span text;
    if (fileset_get(&text, set, path, err) < 0)
        return -1;
    return yaml_parse(out, arena, path, text, err);
}

/* Shared by all kinds of sources: paths, and which files belong to a catalog. */
#include "catalog/catalog_source.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/changelog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *source_path(const char *source)
{
    if (str_starts(source, "file://"))
        return source + strlen("file://");
    return strstr(source, "://") ? NULL : source;
}

static bool has(const char *path, const char *name)
{
    ARENA_SCRATCH(scratch);
    return access(arena_printf(&scratch, "%s/%s", path, name), F_OK) == 0;
}

bool source_is_repository(const char *path)
{
    return has(path, ".git") || (has(path, "HEAD") && has(path, "objects") && has(path, "refs"));
}

void source_split(const char **path, const char **folder, struct arena *arena, const char *source)
{
    const char *whole = source_path(source), *at = whole;
    *path = whole;
    *folder = "";
    while (at && *at && (at = strstr(at + 1, "//"))) {
        const char *before = arena_memdup(arena, whole, (size_t)(at - whole));
        if (!at[2] || !source_is_repository(before))
            continue;
        *path = before;
        *folder = at + 2;
        return;
    }
}

int source_resolve(const char **out, struct arena *arena, const char *source, struct err *err)
{
    char *absolute = realpath(source_path(source), NULL);
    if (!absolute)
        return err_errno(err, errno, "io", "cannot resolve '%s'", source_path(source));
    *out = arena_strdup(arena, absolute);
    free(absolute);
    return 0;
}

bool catalog_path_counts(const char *path)
{
    static const char *const parts[] = {"templates/", "base-images/", "matrices/"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (str_starts(path, parts[i]))
            return true;
    return strcmp(path, "catalog.yml") == 0 || strcmp(path, CHANGELOG_PATH) == 0;
}

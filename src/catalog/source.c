/* What the kinds of source share: paths, and what of a folder is catalog. */
#include "catalog/source.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/changelog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *source_path(const char *source)
{
    if (str_starts(source, "file://"))
        return source + strlen("file://");
    return strstr(source, "://") ? NULL : source;
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

/* A catalog as its author has it before him. */
#include "author/open.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/source.h"

#include <unistd.h>

static bool is_folder(struct arena *arena, const char *source)
{
    const char *path = source_path(source);
    return path == source && access(arena_printf(arena, "%s/catalog.yml", path), F_OK) == 0;
}

static int open_folder(struct catalog **out, struct arena *arena, const char *path, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct catalog *catalog = arena_alloc(arena, sizeof(*catalog));
    if (source_folder.open(catalog, arena, path, NULL, err) < 0)
        return -1;
    if (catalog_read(catalog, arena, err) < 0) {
        catalog_close(catalog);
        return -1;
    }
    *out = catalog;
    return 0;
}

int author_open(struct catalog **out, struct arena *arena, const char *source, const char *ref,
                struct err *err)
{
    *out = NULL;
    return source && !ref && is_folder(arena, source) ? open_folder(out, arena, source, err)
                                                      : catalog_open(out, arena, source, ref, err);
}

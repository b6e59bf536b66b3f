/* A catalog that is a folder on disk, read without following links: for development. */
#include "base/arena.h"
#include "catalog/catalog_source.h"
#include "catalog/folder_files.h"

#include <sys/stat.h>
#include <unistd.h>

static void folder_close(struct catalog *catalog)
{
    catalog_folder_files_free(catalog->files);
}

static bool folder_takes(const char *source)
{
    struct stat info;
    const char *path = source_path(source);
    return path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* An empty one may be where a disk is not mounted. */
static int refuse_ref(const char *path, const char *ref, struct err *err)
{
    ARENA_SCRATCH(scratch);
    if (access(arena_printf(&scratch, "%s/catalog.yml", path), F_OK) < 0)
        return err_set(err, TG_USAGE, "unknown-catalog",
                       "there is no catalog at '%s': it has no catalog.yml", path);
    (void)err_set(err, TG_USAGE, "unknown-ref", "the folder '%s' has no revision '%s'", path, ref);
    return err_hint(err, "a plain folder has no history: leave '@%s' out", ref);
}

static int folder_open(struct catalog *out, struct arena *arena, const char *source,
                       const char *ref, struct err *err)
{
    const char *path;
    if (source_resolve(&path, arena, source, err) < 0)
        return -1;
    if (ref)
        return refuse_ref(path, ref, err);
    if (catalog_folder_files(&out->files, arena, path, catalog_path_counts, err) < 0)
        return -1;
    out->origin.source = path;
    out->close = folder_close;
    out->warnings = arena_array(arena, 1, sizeof(*out->warnings));
    out->warnings[out->warning_count++] =
        "the catalog is a plain folder, which is for development: a fresh clone of this child "
        "has only its own history to prove what it was made from";
    return 0;
}

const struct source_kind source_folder = {.takes = folder_takes, .open = folder_open};

/* A catalog in a folder on disk, for development. Reads files without following links. */
#include "catalog/catalog_source.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "catalog/changelog.h"
#include "data/fileset.h"
#include "git/disk_entry.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder_files {
    struct fileset set; /* must come first: the set is cast back */
    struct arena *arena;
    struct fileset_entry *entries;
    struct span *read; /* by entry; bytes already read */
    bool (*counts)(const char *path);
    const char *path;
    int fd;
};

static int add_entry(struct folder_files *folder, const char *path, const struct stat *info,
                     struct err *err)
{
    if (folder->set.count == LIMIT_TREE_ENTRIES)
        return err_set(err, TG_USAGE, "limit", "the catalog has more than %zu files",
                       LIMIT_TREE_ENTRIES);
    arena_push(folder->arena, folder->entries, folder->set.count) =
        (struct fileset_entry){.path = path, .executable = info->st_mode & S_IXUSR};
    return 0;
}

static int walk(struct folder_files *folder, int fd, const char *prefix, size_t depth,
                struct err *err);

static int walk_subfolder(struct folder_files *folder, int parent, const char *name,
                          const char *path, size_t depth, struct err *err)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot open the folder '%s'", path);
    return walk(folder, fd, arena_printf(folder->arena, "%s/", path), depth + 1, err);
}

static int visit(struct folder_files *folder, int fd, const char *name, const char *prefix,
                 size_t depth, struct err *err)
{
    const char *path = arena_printf(folder->arena, "%s%s", prefix, name);
    struct stat info;
    if (fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return err_errno(err, errno, "io", "cannot look at '%s'", path);
    if (!folder->counts(S_ISDIR(info.st_mode) ? arena_printf(folder->arena, "%s/", path) : path))
        return 0;
    if (S_ISDIR(info.st_mode))
        return walk_subfolder(folder, fd, name, path, depth, err);
    if (!S_ISREG(info.st_mode) && strcmp(path, CHANGELOG_PATH) == 0)
        return 0; /* only text for readers: a catalog works without it */
    if (!S_ISREG(info.st_mode))
        return err_set(err, TG_USAGE, "invalid", "'%s' in the catalog is %s: only files count",
                       path, S_ISLNK(info.st_mode) ? "a link" : "special");
    return add_entry(folder, path, &info, err);
}

/* Closes `fd`. */
static int walk(struct folder_files *folder, int fd, const char *prefix, size_t depth,
                struct err *err)
{
    IO_DIR_SCRATCH(dir) = fdopendir(fd);
    struct dirent *entry;
    if (!dir) {
        io_close_fd(&fd);
        return err_errno(err, errno, "io", "cannot read the catalog's folder '%s'", prefix);
    }
    if (depth > LIMIT_TREE_DEPTH)
        return err_set(err, TG_USAGE, "limit", "'%s' is more than %zu folders deep", prefix,
                       LIMIT_TREE_DEPTH);
    while ((entry = io_next(dir)))
        if (visit(folder, dirfd(dir), entry->d_name, prefix, depth, err) < 0)
            return -1;
    return errno ? err_errno(err, errno, "io", "cannot read the catalog's folder '%s'", prefix) : 0;
}

static int read_all(char *bytes, size_t size, int fd)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0) {
            errno = EIO; /* the file has shrunk meanwhile */
            return -1;
        }
        done += (size_t)got;
    }
    return 0;
}

/* Opens a path below the catalog, refusing links in all its parts. -1 with errno. */
static int open_below(int top, const char *path)
{
    ERR_SCRATCH(ignored);
    const char *name;
    int folder;
    if (disk_parent(&folder, &name, top, path, DISK_FIND, &ignored) != 0)
        return -1;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    io_close_fd(&folder);
    return fd;
}

static int folder_read(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct folder_files *folder = (const struct folder_files *)set;
    const struct fileset_entry *entry = &set->entries[index];
    if (folder->read[index].ptr) {
        *out = folder->read[index];
        return 0;
    }
    struct stat info;
    IO_FD_SCRATCH(fd) = open_below(folder->fd, entry->path);
    if (fd < 0 || fstat(fd, &info) < 0)
        return err_errno(err, errno, "io", "cannot open '%s/%s'", folder->path, entry->path);
    if (!S_ISREG(info.st_mode))
        return err_set(err, TG_RUNTIME, "io", "'%s/%s' is no regular file any more", folder->path,
                       entry->path);
    size_t size = (size_t)info.st_size;
    if (size > LIMIT_RENDERED_BYTES)
        return err_set(err, TG_USAGE, "limit", "'%s' is larger than %zu MiB", entry->path,
                       LIMIT_RENDERED_BYTES / LIMIT_MIB);
    char *bytes = arena_alloc(folder->arena, size + 1);
    if (read_all(bytes, size, fd) < 0)
        return err_errno(err, errno, "io", "cannot read '%s/%s'", folder->path, entry->path);
    *out = folder->read[index] = span_of(bytes, size);
    return budget_check(err) == 0 ? 0 : err_wrap(err, "'%s'", entry->path);
}

int catalog_folder_files(const struct fileset **out, struct arena *arena, const char *path,
                         bool (*counts)(const char *path), struct err *err)
{
    struct folder_files *folder = arena_alloc(arena, sizeof(*folder));
    *folder = (struct folder_files){.arena = arena, .counts = counts, .path = path};
    folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0)
        return err_errno(err, errno, "io", "cannot open the folder '%s'", path);
    int top = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (walk(folder, top, "", 0, err) < 0) {
        (void)close(folder->fd);
        return -1;
    }
    if (folder->set.count)
        qsort(folder->entries, folder->set.count, sizeof(*folder->entries), str_compare_first);
    folder->set.entries = folder->entries;
    folder->set.read = folder_read;
    folder->read = arena_array(arena, folder->set.count + 1, sizeof(*folder->read));
    *out = &folder->set;
    return 0;
}

void catalog_folder_files_free(const struct fileset *files)
{
    if (files)
        (void)close(((const struct folder_files *)files)->fd);
}

/* ---------------------------------------------------------------- the row */

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

/* An empty folder may be the place of a disk that is not mounted. */
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
    out->warning =
        "the catalog is a plain folder, which is for development: a fresh clone of this child "
        "has only its own history to prove what it was made from";
    return 0;
}

const struct source_kind source_folder = {.takes = folder_takes, .open = folder_open};

/* Reads a foreign repository: its objects and refs, but none of its configuration. */
#include "git/foreign_repo.h"

#include "base/arena.h"
#include "base/str.h"
#include "git/libgit2.h"
#include "git/odb.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <git2/sys/repository.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* objects/info/commit-graphs/FILE; a line that names a ref or a path. */
enum { OBJECTS_DEPTH = 3, LINE_BYTES = 8192 };

int foreign_refuse(struct err *err, const char *path, const char *what, const char *way_out)
{
    (void)err_set(err, TG_REFUSED, "repository-form", "the catalog's '%s' %s", path, what);
    return err_hint(err, "%s", way_out);
}

static int refuse_link(struct err *err, const char *path)
{
    return foreign_refuse(err, path, "is no plain file or folder: a catalog is read without links",
                          "clone it with 'git clone --no-local', and give the clone to --catalog");
}

int foreign_line(const char **out, struct arena *arena, int folder, const char *name,
                 const char *shown, struct err *err)
{
    char text[LINE_BYTES];
    struct stat info;
    *out = NULL;
    IO_FD_SCRATCH(fd) = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return refuse_link(err, shown);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : err_errno(err, errno, "io", "cannot open '%s'", shown);
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        return refuse_link(err, shown);
    ssize_t len = read(fd, text, sizeof(text));
    if (len < 0)
        return err_errno(err, errno, "io", "cannot read '%s'", shown);
    if (len == (ssize_t)sizeof(text))
        return err_set(err, TG_USAGE, "limit", "'%s' is longer than %d bytes", shown, LINE_BYTES);
    *out = arena_memdup(arena, text, span_trim_end(span_of(text, (size_t)len), " \t\r\n").len);
    return 0;
}

/* ---------------------------------------------------------------- location */

static const char *parent_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return arena_memdup(arena, path, slash ? (size_t)(slash - path) : 0);
}

/* The path in a file, resolved relative to the folder of the file; or NULL. */
static int follow(const char **out, struct arena *arena, const char *folder, const char *name,
                  const char *prefix, struct err *err)
{
    const char *line, *path = arena_printf(arena, "%s/%s", folder, name);
    *out = NULL;
    if (foreign_line(&line, arena, AT_FDCWD, path, path, err) < 0)
        return -1;
    if (!line || !str_starts(line, prefix))
        return 0;
    line += strlen(prefix);
    *out = io_real_path(arena, *line == '/' ? line : arena_printf(arena, "%s/%s", folder, line));
    return 0;
}

/*
 * `git worktree add` writes two files that point at each other. Only the owner of the repository
 * can have written the one there. With any other `.git` file, the catalog alone would decide where
 * it leads.
 */
static int open_linked(struct foreign_repo *out, struct arena *arena, const char *path,
                       struct err *err)
{
    const char *dot_git = arena_printf(arena, "%s/.git", path), *target, *back = NULL;
    if (follow(&target, arena, path, ".git", "gitdir: ", err) < 0)
        return -1;
    const char *worktrees = target ? parent_of(arena, target) : "";
    if (str_ends(worktrees, "/worktrees") && follow(&back, arena, target, "gitdir", "", err) < 0)
        return -1;
    if (!back || !str_equal(back, io_real_path(arena, dot_git)))
        return foreign_refuse(err, dot_git,
                              "is a file that leads to another folder: nothing outside of a "
                              "catalog is read",
                              "give the repository itself to --catalog, or clone it");
    out->git_dir = target;
    out->common_dir = parent_of(arena, worktrees);
    return 0;
}

static int find_folders(struct foreign_repo *out, struct arena *arena, const char *path,
                        struct err *err)
{
    const char *dot_git = arena_printf(arena, "%s/.git", path);
    struct stat info;
    out->git_dir = out->common_dir = path;
    out->has_work_tree = lstat(dot_git, &info) == 0;
    if (!out->has_work_tree)
        return 0;
    if (S_ISREG(info.st_mode))
        return open_linked(out, arena, path, err);
    if (!S_ISDIR(info.st_mode))
        return refuse_link(err, dot_git);
    out->git_dir = out->common_dir = dot_git;
    return 0;
}

/* ---------------------------------------------------------------- content */

static int check_folder(int parent, const char *name, const char *shown, size_t depth,
                        struct err *err);

static int check_entry(DIR *dir, const struct dirent *entry, const char *shown, size_t depth,
                       struct err *err)
{
    ARENA_SCRATCH(scratch);
    unsigned char type = entry->d_type;
    struct stat info;
    if (type == DT_UNKNOWN && fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
        type = IFTODT(info.st_mode);
    if (type == DT_REG || (type == DT_DIR && depth == OBJECTS_DEPTH))
        return 0;
    const char *path = arena_printf(&scratch, "%s/%s", shown, entry->d_name);
    return type == DT_DIR ? check_folder(dirfd(dir), entry->d_name, path, depth + 1, err)
                          : refuse_link(err, path);
}

/* libgit2 opens objects by their paths: through any link, and into any pipe. */
static int check_folder(int parent, const char *name, const char *shown, size_t depth,
                        struct err *err)
{
    IO_DIR_SCRATCH(dir) = io_open_dir(parent, name);
    struct dirent *entry;
    int rc = 0;
    if (!dir && (errno == ELOOP || errno == ENOTDIR))
        return refuse_link(err, shown);
    if (!dir)
        return err_errno(err, errno, "io", "cannot open the folder '%s'", shown);
    while (rc == 0 && (entry = io_next(dir)))
        rc = check_entry(dir, entry, shown, depth, err);
    if (rc == 0 && errno)
        rc = err_errno(err, errno, "io", "cannot read the folder '%s'", shown);
    return rc;
}

/* Checks the form of the repository without reading its configuration. */
static int check_form(const struct foreign_repo *repository, struct arena *arena, struct err *err)
{
    const char *alternates =
        arena_printf(arena, "%s/objects/info/alternates", repository->common_dir);
    const char *tables = arena_printf(arena, "%s/reftable", repository->common_dir);
    const char *line;
    if (access(tables, F_OK) == 0)
        return foreign_refuse(err, tables, "keeps its refs in another form than files",
                              "'git refs migrate --ref-format=files' (git 2.46) brings them back");
    if (foreign_line(&line, arena, AT_FDCWD, alternates, alternates, err) < 0)
        return -1;
    if (!line || !*line)
        return 0;
    return foreign_refuse(err, alternates,
                          "borrows objects of another repository: nothing outside of a catalog is "
                          "read",
                          "'git repack -a -d' there copies them; then remove that file");
}

int foreign_open(struct foreign_repo *out, struct arena *arena, const char *path, struct err *err)
{
    git_odb *odb = NULL;
    *out = (struct foreign_repo){.git = NULL};
    if (git_start(err) < 0 || find_folders(out, arena, path, err) < 0)
        return -1;
    const char *objects = arena_printf(arena, "%s/objects", out->common_dir);
    if (check_folder(AT_FDCWD, objects, objects, 1, err) < 0 || check_form(out, arena, err) < 0 ||
        odb_open(&odb, objects, err) < 0)
        return -1;
    int rc = git_repository_wrap_odb(&out->git, odb);
    git_odb_free(odb);
    return rc < 0 ? git_fail(err, "cannot open the catalog's objects in '%s'", objects) : 0;
}

void foreign_close(struct foreign_repo *repository)
{
    git_repository_free(repository->git);
    repository->git = NULL;
}

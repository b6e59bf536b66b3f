/* The entry at a path of the work tree, read without following links. */
#include "git/disk_entry.h"

#include "base/buf.h"
#include "git/store.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_MAX = 256, READ_PIECE = 1 << 16, DEPTH_MAX = 256 };
/* For a user's file under a template's path: a safeguard rather than a limit. */
#define CONTENT_MAX ((size_t)1 << 40)

const char *disk_kind_name(enum disk_kind kind)
{
    static const char *const names[] = {
        [DISK_ABSENT] = "nothing",
        [DISK_FILE] = "a file",
        [DISK_FOLDER] = "a folder",
        [DISK_LINK] = "a link",
        [DISK_SPECIAL] = "a device, socket or pipe",
        [DISK_BLOCKED] = "below a link or a file",
    };
    return names[kind];
}

int disk_exists(bool *out, int folder, const char *path, struct err *err)
{
    struct stat info;
    *out = fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) == 0;
    return *out || errno == ENOENT || errno == ENOTDIR
               ? 0
               : err_errno(err, errno, "io", "cannot look for '%s'", path);
}

bool disk_ignores_case(int top)
{
    struct stat one, other;
    return fstatat(top, ".git", &one, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(top, ".GIT", &other, AT_SYMLINK_NOFOLLOW) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static int make_folder(int at, const char *part, enum disk_missing missing)
{
    if (mkdirat(at, part, 0777) < 0)
        return errno == EEXIST ? 0 : -1;
    return missing == DISK_MAKE_DURABLY ? io_fsync(at) : 0;
}

static int step(int at, const char *part, enum disk_missing missing)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int next = openat(at, part, flags);
    if (next < 0 && errno == ENOENT && missing != DISK_FIND && make_folder(at, part, missing) == 0)
        next = openat(at, part, flags);
    return next;
}

int disk_parent(int *fd, const char **name, int top, const char *path, enum disk_missing missing,
                struct err *err)
{
    const char *whole = path;
    char part[PART_MAX];
    *fd = fcntl(top, F_DUPFD_CLOEXEC, 0);
    for (const char *slash; *fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        size_t len = (size_t)(slash - path);
        int next = -1;
        errno = ENAMETOOLONG;
        if (len < sizeof(part)) {
            memcpy(part, path, len);
            part[len] = '\0';
            next = step(*fd, part, missing);
        }
        int number = errno;
        (void)close(*fd);
        *fd = next;
        errno = number;
    }
    *name = path;
    if (*fd >= 0)
        return 0;
    if (errno == ENOENT || errno == ENAMETOOLONG)
        return 1;
    if (errno == ENOTDIR || errno == ELOOP)
        return 2;
    return err_errno(err, errno, "io", "cannot open the folder of '%s'", whole);
}

static int read_content(struct buf *out, int fd)
{
    char piece[READ_PIECE];
    for (;;) {
        ssize_t got = read(fd, piece, sizeof(piece));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            return 0;
        if (buf_append(out, piece, (size_t)got) < 0) {
            errno = EFBIG;
            return -1;
        }
    }
}

static int look_into(struct disk_entry *out, struct stat *info, struct buf *content, int folder,
                     const char *name, const char *path, struct err *err)
{
    BUF_SCRATCH(own, CONTENT_MAX);
    struct buf *bytes = content ? content : &own;
    IO_FD_SCRATCH(fd) = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", path);
    if (fstat(fd, info) < 0 || read_content(bytes, fd) < 0)
        return err_errno(err, errno, "io", "cannot read '%s'", path);
    out->executable = info->st_mode & S_IXUSR;
    return store_hash(&out->raw, STORE_BLOB, span_of(buf_text(bytes), bytes->len), err);
}

static enum disk_kind kind_of(mode_t mode)
{
    if (S_ISREG(mode))
        return DISK_FILE;
    if (S_ISDIR(mode))
        return DISK_FOLDER;
    return S_ISLNK(mode) ? DISK_LINK : DISK_SPECIAL;
}

int disk_look(struct disk_entry *out, struct stat *info, struct buf *content, int top,
              const char *path, struct err *err)
{
    struct stat own;
    const char *name;
    IO_FD_SCRATCH(folder) = -1;
    *out = (struct disk_entry){.kind = DISK_ABSENT};
    int rc = disk_parent(&folder, &name, top, path, DISK_FIND, err);
    if (rc == 2)
        out->kind = DISK_BLOCKED;
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (!info)
        info = &own;
    if (fstatat(folder, name, info, AT_SYMLINK_NOFOLLOW) == 0)
        out->kind = kind_of(info->st_mode);
    else if (errno != ENOENT && errno != ENAMETOOLONG)
        rc = err_errno(err, errno, "io", "cannot look at '%s'", path);
    return rc == 0 && out->kind == DISK_FILE
               ? look_into(out, info, content, folder, name, path, err)
               : rc;
}

static int make_file(int folder, const char *name, mode_t mode)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(folder, name, flags, mode);
    if (fd < 0 && errno == EEXIST && unlinkat(folder, name, 0) == 0)
        fd = openat(folder, name, flags, mode);
    return fd;
}

/* Creates the file with mode `first`, completes it with `last`. Else -1 with errno, no file. */
static int write_file(int folder, const char *name, struct span bytes, mode_t first, mode_t last)
{
    int fd = make_file(folder, name, first);
    if (fd < 0)
        return -1;
    int rc = io_write_all(fd, bytes);
    if (rc == 0 && first != last)
        rc = fchmod(fd, last);
    int number = errno;
    if (close(fd) < 0 && rc == 0) {
        rc = -1;
        number = errno;
    }
    if (rc < 0)
        (void)unlinkat(folder, name, 0);
    errno = number;
    return rc;
}

/* On file systems where modes cannot be changed, the name marks an incomplete file. */
static int write_under_draft(int folder, const char *name, struct span bytes, mode_t mode)
{
    char draft[PART_MAX];
    mode_t mask = umask(0);
    (void)snprintf(draft, sizeof(draft), "%.*s" DISK_DRAFT, PART_MAX - 16, name);
    int rc = write_file(folder, draft, bytes, mode, mode);
    (void)umask(mask);
    return rc < 0 ? -1 : renameat(folder, draft, folder, name);
}

int disk_write(int folder, const char *name, struct span bytes, mode_t mode, struct err *err)
{
    int rc = write_file(folder, name, bytes, DISK_HALF_WRITTEN, mode);
    if (rc < 0 && (errno == EPERM || io_is_unsupported(errno)))
        rc = write_under_draft(folder, name, bytes, mode);
    return rc < 0 ? err_errno(err, errno, "io", "cannot write '%s'", name) : 0;
}

static int keep_copy(int folder, const char *name, int to, const char *kept, struct err *err)
{
    BUF_SCRATCH(bytes, CONTENT_MAX);
    struct stat info;
    struct disk_entry found = {.kind = DISK_FILE};
    char draft[PATH_MAX];
    (void)snprintf(draft, sizeof(draft), "%s" DISK_DRAFT, kept);
    if (look_into(&found, &info, &bytes, folder, name, name, err) < 0 ||
        disk_write(to, draft, span_of(buf_text(&bytes), bytes.len), info.st_mode & 0777, err) < 0 ||
        disk_sync(to, draft, err) < 0)
        return -1;
    if (renameat(to, draft, to, kept) < 0)
        return err_errno(err, errno, "io", "cannot keep '%s'", name);
    return 0;
}

int disk_keep(int folder, const char *name, int to, const char *kept, struct err *err)
{
    if (linkat(folder, name, to, kept, 0) == 0 || errno == EEXIST)
        return 0;
    if (errno == ENOENT)
        return 1;
    if (errno != EPERM && errno != EMLINK && !io_is_unsupported(errno))
        return err_errno(err, errno, "io", "cannot keep '%s'", name);
    return keep_copy(folder, name, to, kept, err);
}

int disk_sync(int folder, const char *name, struct err *err)
{
    IO_FD_SCRATCH(fd) = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 || io_fsync(fd) < 0
               ? err_errno(err, errno, "io", "cannot make '%s' durable", name)
               : 0;
}

int disk_sync_folder(int fd, const char *what, struct err *err)
{
    if (io_fsync(fd) < 0)
        return err_errno(err, errno, "io", "cannot make '%s' durable", what);
    return 0;
}

static int is_hollow(int folder, const char *name, int depth)
{
    struct dirent *entry;
    IO_DIR_SCRATCH(dir) = io_open_dir(folder, name);
    if (!dir)
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -1;
    int hollow = depth < DEPTH_MAX;
    while (hollow > 0 && (entry = io_next(dir)))
        hollow = is_hollow(dirfd(dir), entry->d_name, depth + 1);
    return hollow > 0 && errno ? -1 : hollow;
}

int disk_is_hollow(int folder, const char *name)
{
    return is_hollow(folder, name, 0);
}

static int remove_empty(int folder, const char *name, int depth)
{
    struct dirent *entry;
    if (depth > DEPTH_MAX) {
        errno = ENOTEMPTY;
        return -1;
    }
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return -1;
    IO_DIR_SCRATCH(dir) = io_open_dir(folder, name);
    if (!dir)
        return -1;
    while ((entry = io_next(dir)))
        if (remove_empty(dirfd(dir), entry->d_name, depth + 1) < 0)
            return -1;
    return unlinkat(folder, name, AT_REMOVEDIR);
}

int disk_remove_empty(int folder, const char *name)
{
    return remove_empty(folder, name, 0);
}

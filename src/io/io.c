/* Files and folders on disk: whole reads, exclusive writes, removal. */
#include "io/io.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/parallel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_until_end(struct span *out, struct arena *arena, int fd, size_t max)
{
    size_t capacity = 4096, len = 0;
    char *bytes = arena_alloc(arena, capacity + 1);
    for (;;) {
        ssize_t got = read(fd, bytes + len, capacity - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        len += (size_t)got;
        if (got == 0 || len > max)
            break;
        if (len == capacity) {
            char *larger = arena_alloc(arena, capacity * 2 + 1);
            memcpy(larger, bytes, len);
            bytes = larger;
            capacity *= 2;
        }
    }
    bytes[len] = '\0';
    *out = span_of(bytes, len);
    return 0;
}

static int read_opened(struct span *out, struct arena *arena, int fd, const char *path, size_t max,
                       struct err *err)
{
    if (read_until_end(out, arena, fd, max) < 0)
        return err_errno(err, errno, "io", "cannot read '%s'", path);
    return out->len > max
               ? err_set(err, TG_USAGE, "limit", "'%s' is larger than %zu bytes", path, max)
               : 0;
}

int io_read(struct span *out, struct arena *arena, int folder, const char *path, size_t max,
            struct err *err)
{
    IO_FD_SCRATCH(fd) = openat(folder, path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? err_errno(err, errno, "io", "cannot open '%s'", path)
                  : read_opened(out, arena, fd, path, max, err);
}

int io_read_file(struct span *out, struct arena *arena, int folder, const char *path, size_t max,
                 struct err *err)
{
    struct stat info;
    IO_FD_SCRATCH(fd) = openat(folder, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", path);
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode)
               ? read_opened(out, arena, fd, path, max, err)
               : err_set(err, TG_RUNTIME, "io", "'%s' is no regular file", path);
}

bool io_is_special(int folder, const char *path)
{
    struct stat info;
    return fstatat(folder, path, &info, 0) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

int io_write_all(int fd, struct span bytes)
{
    while (bytes.len) {
        ssize_t put = write(fd, bytes.ptr, bytes.len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        bytes = span_of(bytes.ptr + put, bytes.len - (size_t)put);
    }
    return 0;
}

/* Opens the folder `path` (`len` bytes) below `top`, creating it if needed; -1 with errno. */
static int open_folder(int top, const char *path, size_t len)
{
    int at = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *end = path + len; at >= 0 && path < end;) {
        char part[LIMIT_NAME_BYTES + 56];
        size_t part_len = strcspn(path, "/");
        int next = -1;
        if (part_len < sizeof(part)) {
            memcpy(part, path, part_len);
            part[part_len] = '\0';
            if (mkdirat(at, part, 0777) == 0 || errno == EEXIST)
                next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        } else {
            errno = ENAMETOOLONG;
        }
        io_close_fd(&at);
        at = next;
        path += part_len + 1;
    }
    return at;
}

/* Opens the folder of `path`; `*name` is its last part. */
static int enter(const char **name, struct io_maker *maker, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    *name = path + len;
    if (maker->folder >= 0 && strlen(maker->path) == len && memcmp(maker->path, path, len) == 0)
        return 0;
    io_maker_release(maker);
    if (len >= sizeof(maker->path))
        errno = ENAMETOOLONG;
    else
        maker->folder = open_folder(maker->top, path, len);
    if (maker->folder < 0)
        return err_errno(err, errno, "io", "cannot make the folder of '%s'", path);
    memcpy(maker->path, path, len);
    maker->path[len] = '\0';
    return 0;
}

int io_make(struct io_maker *maker, const char *path, struct span bytes, bool executable,
            struct err *err)
{
    const char *name;
    if (enter(&name, maker, path, err) < 0)
        return -1;
    int fd = openat(maker->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    executable ? 0777 : 0666);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot make the file '%s'", path);
    int rc = io_write_all(fd, bytes), number = errno;
    if (close(fd) < 0 && rc == 0) {
        rc = -1;
        number = errno;
    }
    return rc < 0 ? err_errno(err, number, "io", "cannot write the file '%s'", path) : 0;
}

int io_make_folder(struct io_maker *maker, const char *path, struct err *err)
{
    const char *name;
    if (enter(&name, maker, path, err) < 0)
        return -1;
    if (mkdirat(maker->folder, name, 0777) < 0 && errno != EEXIST)
        return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    return 0;
}

void io_maker_release(struct io_maker *maker)
{
    if (maker->folder >= 0)
        (void)close(maker->folder);
    maker->folder = -1;
}

bool io_is_unsupported(int number)
{
    return number == EINVAL || number == ENOSYS || number == EOPNOTSUPP;
}

/* Takes the second name of a file back; leaves what somebody else has put there since. */
static void unlink_same(int from, const char *old, int to, const char *new)
{
    struct stat here, there;
    if (fstatat(from, old, &here, AT_SYMLINK_NOFOLLOW) == 0 &&
        fstatat(to, new, &there, AT_SYMLINK_NOFOLLOW) == 0 && here.st_dev == there.st_dev &&
        here.st_ino == there.st_ino)
        (void)unlinkat(to, new, 0);
}

/* A file system without hard links fails with EPERM or EOPNOTSUPP. */
static int link_new(int from, const char *old, int to, const char *new)
{
    if (linkat(from, old, to, new, 0) < 0) {
        if (errno == EPERM || io_is_unsupported(errno))
            errno = EOPNOTSUPP;
        return -1;
    }
    if (unlinkat(from, old, 0) == 0)
        return 0;
    int number = errno;
    unlink_same(from, old, to, new);
    errno = number;
    return -1;
}

/* rename replaces only an empty folder; mkdir fails if another process has taken the name. */
static int replace_own_folder(int from, const char *old, int to, const char *new)
{
    if (mkdirat(to, new, 0700) < 0)
        return -1;
    if (renameat(from, old, to, new) == 0)
        return 0;
    int number = errno;
    (void)unlinkat(to, new, AT_REMOVEDIR);
    errno = number;
    return -1;
}

int io_move_new(int from, const char *old, int to, const char *new)
{
    struct stat info;
    if (renameat2(from, old, to, new, RENAME_NOREPLACE) == 0)
        return 0;
    if (!io_is_unsupported(errno) || fstatat(from, old, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    return S_ISDIR(info.st_mode) ? replace_own_folder(from, old, to, new)
                                 : link_new(from, old, to, new);
}

static int open_place(const struct io_place *place)
{
    return openat(place->folder, place->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int io_claim(int from, const char *old, int to, const char *new)
{
    if (io_move_new(from, old, to, new) == 0)
        return 0;
    if (errno != EOPNOTSUPP)
        return -1;
    int fd = openat(to, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    (void)close(fd);
    return renameat(from, old, to, new);
}

uint64_t io_random(void)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof(bits), 0) == (ssize_t)sizeof(bits))
        return bits;
    (void)fputs("tmplgen: the system has no random bytes\n", stderr);
    abort();
}

int io_fsync(int fd)
{
    return fsync(fd) < 0 && !io_is_unsupported(errno) ? -1 : 0;
}

/* Returns errno, or 0. */
static int sync_one(const struct io_place *place)
{
    IO_FD_SCRATCH(fd) = open_place(place);
    return fd < 0 || io_fsync(fd) < 0 ? errno : 0;
}

struct syncing {
    const struct io_place *places;
    int *errors; /* errno of each, or 0 */
};

static void sync_place(void *context, size_t number)
{
    const struct syncing *s = context;
    s->errors[number] = sync_one(&s->places[number]);
}

/* Starts writing, so that the syncs, which matter, find little to wait for. */
static void begin_writing(const struct io_place *place)
{
    IO_FD_SCRATCH(fd) = open_place(place);
    if (fd >= 0)
        (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int io_sync(const struct io_place *places, size_t count, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct syncing s = {places, arena_array(&scratch, count, sizeof(int))};
    for (size_t i = 0; i < count; i++)
        begin_writing(&places[i]);
    parallel_run(count, 8, sync_place, &s); /* a disk gains nothing from more */
    for (size_t i = 0; i < count; i++)
        if (s.errors[i])
            return err_errno(err, s.errors[i], "io", "cannot make '%s' durable", places[i].path);
    return 0;
}

int io_make_folders(const char **made, struct arena *arena, const char *path, struct err *err)
{
    char *partial = arena_strdup(arena, path);
    *made = NULL;
    for (char *end = partial + 1;; end++) {
        if (*end && *end != '/')
            continue;
        char saved = *end;
        *end = '\0';
        if (mkdir(partial, 0777) == 0) {
            if (!*made)
                *made = arena_strdup(arena, partial);
        } else if (errno != EEXIST) {
            return err_errno(err, errno, "io", "cannot make the folder '%s'", partial);
        }
        *end = saved;
        if (!saved)
            return 0;
    }
}

static void remove_content(int folder, const char *path)
{
    IO_DIR_SCRATCH(dir) = io_open_dir(folder, path);
    struct dirent *entry;
    while (dir && (entry = io_next(dir)))
        io_remove(dirfd(dir), entry->d_name);
}

void io_remove(int folder, const char *path)
{
    if (unlinkat(folder, path, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    remove_content(folder, path);
    (void)unlinkat(folder, path, AT_REMOVEDIR);
}

const char *io_real_path(struct arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    const char *out = real ? arena_strdup(arena, real) : NULL;
    free(real);
    return out;
}

DIR *io_open_dir(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        io_close_fd(&fd);
    return dir;
}

void io_close_fd(const int *fd)
{
    int number = errno;
    if (*fd >= 0)
        (void)close(*fd);
    errno = number;
}

void io_close_dir(DIR *const *dir)
{
    int number = errno;
    if (*dir)
        (void)closedir(*dir);
    errno = number;
}

struct dirent *io_next(DIR *dir)
{
    struct dirent *entry;
    do
        errno = 0;
    while ((entry = readdir(dir)) &&
           (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry;
}

int io_is_empty(bool *out, const char *folder, const char *except, struct err *err)
{
    IO_DIR_SCRATCH(dir) = opendir(folder);
    struct dirent *entry;
    *out = true;
    while (dir && *out && (entry = io_next(dir)))
        *out = str_equal(entry->d_name, except);
    return !dir || (*out && errno)
               ? err_errno(err, errno, "io", "cannot look into the folder '%s'", folder)
               : 0;
}

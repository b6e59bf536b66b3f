/*
 * A preload that lets the Nth call which changes the file system fail, or kills the process there.
 *
 *   FAILN_AT=N       which call, from 1
 *   FAILN_READS=DIR  of those instead that look at DIR and what is below it
 *   FAILN_KIND=kill|EIO|ENOSPC|EACCES|EROFS|EMFILE|EINTR|short|full
 *                    `full` fails only what needs space: a disk without any
 *   FAILN_SAME=1     and each later call that looks at the same place
 *   FAILN_FROM=1     from the Nth on, not only the Nth: the disk stays full
 *   FAILN_LOG=FILE   write there each call, a line each: its name and the paths that it is about
 *   FAILN_AFTER=1    kill after the call instead of before it
 *   FAILN_STOP=FIFO  at the Nth call, say so through the FIFO and wait until it is closed
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { FAIL = 1, SHORT = 2, FULL = 3 };

static long count, at;
static int number, kind_kill, kind_short, kind_full, from, after, log_fd = -1;
static const char *below;
static char same[PATH_MAX]; /* FAILN_SAME: the place that fails */
static pid_t owner;

/* Before anything is forked: only the process itself counts. */
__attribute__((constructor)) static void start(void)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {{"EIO", EIO},     {"ENOSPC", ENOSPC}, {"EACCES", EACCES},
                  {"EROFS", EROFS}, {"EMFILE", EMFILE}, {"EINTR", EINTR}};
    const char *kind = getenv("FAILN_KIND"), *when = getenv("FAILN_AT");
    const char *path = getenv("FAILN_LOG");
    owner = getpid();
    if (path)
        log_fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
    at = when ? atol(when) : 0;
    below = getenv("FAILN_READS");
    from = getenv("FAILN_FROM") != NULL;
    after = getenv("FAILN_AFTER") != NULL;
    kind_kill = kind && strcmp(kind, "kill") == 0;
    kind_short = kind && strcmp(kind, "short") == 0;
    kind_full = kind && strcmp(kind, "full") == 0;
    for (size_t i = 0; kind && i < sizeof(errors) / sizeof(*errors); i++)
        if (strcmp(kind, errors[i].name) == 0)
            number = errors[i].number;
}

static void die(void)
{
    (void)kill(getpid(), SIGKILL);
    for (;;)
        (void)pause();
}

static void wait_at(const char *fifo)
{
    __typeof__(&open) real_open = (__typeof__(&open))dlsym(RTLD_NEXT, "open");
    int saved = errno, fd = real_open(fifo, O_WRONLY);
    char done = 0;
    (void)!write(fd, "x", 1);
    (void)close(fd);
    fd = real_open(fifo, O_RDONLY);
    (void)!read(fd, &done, 1);
    (void)close(fd);
    errno = saved; /* a signal may have cut the waiting short */
}

/* The path behind a descriptor, with `name` below it; "" where there is no more to tell. */
static void put_place(char *line, size_t size, int folder, const char *name)
{
    char link[64], path[PATH_MAX] = "";
    if (folder >= 0 && (!name || *name != '/')) {
        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
        ssize_t len = readlink(link, path, sizeof(path) - 1);
        path[len > 0 ? len : 0] = '\0';
    }
    size_t used = strlen(line);
    (void)snprintf(line + used, size - used, "\t%s%s%s", path, *path && name ? "/" : "",
                   name ? name : "");
}

static void write_note(const char *line, size_t len)
{
    if (log_fd >= 0 && owner == getpid())
        (void)syscall(SYS_write, log_fd, line, len);
}

/* A call on one place, or from one to another where `other` is named. */
static void note(const char *call, int folder, const char *name, int other_folder,
                 const char *other)
{
    char line[4 * PATH_MAX];
    if (log_fd < 0 || below)
        return;
    int saved = errno;
    (void)snprintf(line, sizeof(line), "%s", call);
    put_place(line, sizeof(line), folder, name);
    if (other)
        put_place(line, sizeof(line), other_folder, other);
    size_t len = strlen(line);
    line[len] = '\n';
    write_note(line, len + 1);
    errno = saved;
}

static int hit_it(void)
{
    if (owner != getpid())
        return 0;
    long now = __sync_add_and_fetch(&count, 1);
    if (!at || (from ? now < at : now != at))
        return 0;
    const char *fifo = getenv("FAILN_STOP");
    if (fifo) {
        wait_at(fifo);
        return 0;
    }
    if (kind_kill && !after)
        die();
    if (kind_kill)
        return 0;
    if (kind_short)
        return SHORT;
    if (kind_full)
        return FULL;
    errno = number;
    return number ? FAIL : 0;
}

static int hit(void)
{
    return below ? 0 : hit_it();
}

/* After the call, where FAILN_AFTER says so. */
static void hit_after(void)
{
    if (kind_kill && after && !below && count == at && owner == getpid())
        die();
}

/* Whether a call that looks at something there fails. */
static int cannot_look(const char *call, int folder, const char *name)
{
    char line[4 * PATH_MAX];
    if (!below)
        return 0;
    int saved = errno;
    (void)snprintf(line, sizeof(line), "%s", call);
    size_t start = strlen(line) + 1;
    put_place(line, sizeof(line), folder, name);
    int there = strncmp(line + start, below, strlen(below)) == 0;
    int again = *same && strcmp(same, line + start) == 0;
    size_t len = strlen(line);
    line[len] = '\n';
    if (there)
        write_note(line, len + 1);
    line[len] = '\0';
    errno = saved;
    if (!there || hit_it() != FAIL) {
        if (again)
            errno = number;
        return again;
    }
    if (getenv("FAILN_SAME"))
        (void)snprintf(same, sizeof(same), "%s", line + start);
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define HERE AT_FDCWD
/* `told` is what note() is told of the call. */
#define WRAP(ret, name, parameters, arguments, ...)                                                \
    ret name parameters                                                                            \
    {                                                                                              \
        static __typeof__(&name) real;                                                             \
        if (!real)                                                                                 \
            real = REAL(name);                                                                     \
        note(#name, __VA_ARGS__);                                                                  \
        if (hit() == FAIL)                                                                         \
            return (ret)-1;                                                                        \
        ret result = real arguments;                                                               \
        int saved = errno;                                                                         \
        hit_after();                                                                               \
        errno = saved;                                                                             \
        return result;                                                                             \
    }

WRAP(int, rename, (const char *a, const char *b), (a, b), HERE, a, HERE, b)
WRAP(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d), a, b, c, d)
WRAP(int, renameat2, (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e), a,
     b, c, d)
WRAP(int, link, (const char *a, const char *b), (a, b), HERE, a, HERE, b)
WRAP(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e), a, b, c, d)
WRAP(int, unlink, (const char *a), (a), HERE, a, 0, NULL)
WRAP(int, unlinkat, (int a, const char *b, int c), (a, b, c), a, b, 0, NULL)

static int no_space(void)
{
    errno = ENOSPC;
    return -1;
}

static int is_there(int folder, const char *path)
{
    int saved = errno, there = faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    errno = saved;
    return there;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    static __typeof__(&mkdirat) real;
    if (!real)
        real = REAL(mkdirat);
    note("mkdirat", folder, path, 0, NULL);
    int what = hit();
    if (what == FAIL || (what == FULL && !is_there(folder, path)))
        return what == FULL ? no_space() : -1;
    int rc = real(folder, path, mode);
    int saved = errno;
    hit_after();
    errno = saved;
    return rc;
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

WRAP(int, rmdir, (const char *a), (a), HERE, a, 0, NULL)
WRAP(int, fsync, (int a), (a), a, NULL, 0, NULL)
WRAP(int, ftruncate, (int a, off_t b), (a, b), a, NULL, 0, NULL)
WRAP(int, futimens, (int a, const struct timespec *b), (a, b), a, NULL, 0, NULL)
WRAP(int, fchmod, (int a, mode_t b), (a, b), a, NULL, 0, NULL)
WRAP(int, chmod, (const char *a, mode_t b), (a, b), HERE, a, 0, NULL)
WRAP(int, symlinkat, (const char *a, int b, const char *c), (a, b, c), b, c, 0, NULL)

static int writes(int flags)
{
    return flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
}

/* Calls that only look. */
#define LOOK(ret, failed, name, parameters, arguments, ...)                                        \
    ret name parameters                                                                            \
    {                                                                                              \
        static __typeof__(&name) real;                                                             \
        if (!real)                                                                                 \
            real = REAL(name);                                                                     \
        return cannot_look(#name, __VA_ARGS__) ? (failed) : real arguments;                        \
    }

LOOK(int, -1, stat, (const char *a, struct stat *b), (a, b), HERE, a)
LOOK(int, -1, lstat, (const char *a, struct stat *b), (a, b), HERE, a)
LOOK(int, -1, fstat, (int a, struct stat *b), (a, b), a, NULL)
LOOK(int, -1, fstatat, (int a, const char *b, struct stat *c, int d), (a, b, c, d), a, b)
LOOK(int, -1, access, (const char *a, int b), (a, b), HERE, a)
LOOK(int, -1, faccessat, (int a, const char *b, int c, int d), (a, b, c, d), a, b)
LOOK(ssize_t, -1, readlink, (const char *a, char *b, size_t c), (a, b, c), HERE, a)
LOOK(ssize_t, -1, readlinkat, (int a, const char *b, char *c, size_t d), (a, b, c, d), a, b)
LOOK(ssize_t, -1, read, (int a, void *b, size_t c), (a, b, c), a, NULL)
LOOK(ssize_t, -1, pread, (int a, void *b, size_t c, off_t d), (a, b, c, d), a, NULL)
LOOK(DIR *, NULL, opendir, (const char *a), (a), HERE, a)
LOOK(struct dirent *, NULL, readdir, (DIR * a), (a), dirfd(a), NULL)
LOOK(void *, MAP_FAILED, mmap, (void *a, size_t b, int c, int d, int e, off_t f),
     (a, b, c, d, e, f), e, NULL)

int openat(int folder, const char *path, int flags, ...)
{
    static __typeof__(&openat) real;
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    if (!real)
        real = REAL(openat);
    if (writes(flags))
        note("openat", folder, path, 0, NULL);
    else if (cannot_look("openat", folder, path))
        return -1;
    int what = writes(flags) ? hit() : 0;
    if (what == FAIL)
        return -1;
    if (what == FULL && (flags & O_CREAT) && !is_there(folder, path))
        return no_space();
    int fd = real(folder, path, flags, mode);
    if (writes(flags))
        hit_after();
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return openat(AT_FDCWD, path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    static __typeof__(&write) real;
    if (!real)
        real = REAL(write);
    if (fd > 2)
        note("write", fd, NULL, 0, NULL);
    int what = fd > 2 ? hit() : 0;
    if (what == FAIL || what == FULL)
        return what == FULL ? no_space() : -1;
    ssize_t put = real(fd, bytes, what == SHORT && len > 1 ? len / 2 : len);
    if (fd > 2)
        hit_after();
    return put;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    static __typeof__(&pwrite) real;
    if (!real)
        real = REAL(pwrite);
    note("pwrite", fd, NULL, 0, NULL);
    int what = hit();
    if (what == FAIL || what == FULL)
        return what == FULL ? no_space() : -1;
    ssize_t put = real(fd, bytes, what == SHORT && len > 1 ? len / 2 : len, offset);
    hit_after();
    return put;
}

/* A file that a command writes at its end, all or nothing; checked at the command's start. */
#include "io/output.h"

#include "base/arena.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Resolves links, so that their target is written. A new file needs an existing folder. */
static const char *resolved(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *folder = slash ? arena_memdup(arena, path, (size_t)(name - path)) : ".";
    char *real = realpath(path, NULL), *above = real ? NULL : realpath(folder, NULL);
    const char *kept = real    ? arena_strdup(arena, real)
                       : above ? arena_printf(arena, "%s/%s", above, name)
                               : path;
    free(real);
    free(above);
    return kept;
}

static int cannot(struct err *err, int number, const char *path)
{
    return err_errno(err, number, "io", "cannot write '%s'", path);
}

/* The mode of the file that is replaced, or of any new file. */
static mode_t mode_of(const struct stat *there)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    return there ? there->st_mode & 0777 : 0666 & ~mask;
}

#define DRAFT ".tmplgen-summary."
enum { DRAFT_TAIL = 6, TRIES = 100 };

static bool is_draft(const char *name)
{
    size_t head = strlen(DRAFT);
    return strncmp(name, DRAFT, head) == 0 && strlen(name) == head + DRAFT_TAIL;
}

/* A running command locks its draft: a draft without a lock was left by a killed run. */
static void remove_stale(int folder, const char *name)
{
    struct stat info;
    IO_FD_SCRATCH(fd) =
        openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
}

static void tidy(const char *folder)
{
    IO_DIR_SCRATCH(stream) = opendir(*folder ? folder : ".");
    for (const struct dirent *entry; stream && (entry = readdir(stream));)
        if (is_draft(entry->d_name))
            remove_stale(dirfd(stream), entry->d_name);
}

/* Creates a locked draft. Tries again if another run removes it as stale before the lock. */
static int make_draft(char *draft)
{
    for (int i = 0; i < TRIES; i++) {
        struct stat info;
        char *tail = draft + strlen(draft) - DRAFT_TAIL;
        memset(tail, 'X', DRAFT_TAIL);
        int fd = mkostemp(draft, O_CLOEXEC);
        if (fd < 0)
            return -1;
        (void)flock(fd, LOCK_EX | LOCK_NB); /* without locks, no other run can hold one */
        if (fstat(fd, &info) < 0 || info.st_nlink > 0)
            return fd;
        (void)close(fd);
    }
    errno = EEXIST;
    return -1;
}

static int open_draft(struct output *out, struct arena *arena, const struct stat *there,
                      struct err *err)
{
    const char *slash = strrchr(out->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - out->path) : 0;
    const char *beside = arena_memdup(arena, out->path, folder);
    char *draft = arena_printf(arena, "%s" DRAFT "XXXXXX", beside);
    tidy(beside);
    if (there && access(out->path, W_OK) < 0)
        return cannot(err, errno, out->path);
    out->fd = make_draft(draft);
    if (out->fd < 0)
        return cannot(err, errno, out->path);
    out->draft = draft;
    if (fchmod(out->fd, mode_of(there)) < 0 && errno != EPERM && errno != ENOTSUP) {
        int number = errno;
        output_close(out);
        return cannot(err, number, out->path);
    }
    return 0;
}

int output_open(struct output *out, struct arena *arena, const char *path, struct err *err)
{
    struct stat info;
    *out = (struct output){.path = resolved(arena, path), .fd = -1};
    bool there = stat(out->path, &info) == 0;
    if (!there && errno != ENOENT)
        return cannot(err, errno, path);
    if (!there || S_ISREG(info.st_mode))
        return open_draft(out, arena, there ? &info : NULL, err);
    out->fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return out->fd < 0 ? cannot(err, errno, path) : 0;
}

int output_write(struct output *output, struct span bytes, struct err *err)
{
    int rc = io_write_all(output->fd, bytes), number = errno;
    if (rc == 0 && output->draft && (rc = fsync(output->fd)) < 0)
        number = errno;
    if (rc < 0 && (number == EINVAL || number == ENOTSUP))
        rc = 0; /* the file system cannot sync */
    if (rc == 0 && output->draft && (rc = rename(output->draft, output->path)) < 0)
        number = errno;
    if (rc == 0)
        output->draft = NULL;
    const char *path = output->path;
    output_close(output);
    return rc < 0 ? cannot(err, number, path) : 0;
}

void output_close(struct output *output)
{
    if (output->path && output->draft)
        (void)unlink(output->draft);
    if (output->path && output->fd >= 0)
        (void)close(output->fd);
    *output = (struct output){.fd = -1};
}

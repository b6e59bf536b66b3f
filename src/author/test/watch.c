/* Waits until the files of a catalog's folder change. */
#include "author/scratch.h"

#include "base/arena.h"
#include "base/limits.h"
#include "catalog/catalog_source.h"
#include "io/interrupt.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CHANGES                                                                                    \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR)

enum { QUIET_MS = 15, QUIET_TRIES = 20 }; /* editors save in several steps */

/* The number of a folder; one that has just gone is none: -1. */
static int add_one(int *number, int fd, const char *path, struct err *err)
{
    *number = inotify_add_watch(fd, path, CHANGES);
    if (*number >= 0 || errno == ENOENT || errno == ENOTDIR)
        return 0;
    if (errno != ENOSPC)
        return err_errno(err, errno, "io", "cannot watch '%s'", path);
    (void)err_set(err, TG_RUNTIME, "io", "no more folders can be watched on this machine");
    return err_hint(err, "more of them: sysctl fs.inotify.max_user_watches=524288");
}

/* The folder and all below it that belongs to a catalog. */
static int add_all(int *number, int fd, const char *folder, const char *below, size_t depth,
                   struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *path = arena_printf(&scratch, "%s/%s", folder, below);
    int ignored;
    if (add_one(number, fd, path, err) < 0)
        return -1;
    DIR *dir = depth <= LIMIT_TREE_DEPTH ? opendir(path) : NULL;
    const struct dirent *entry;
    int rc = 0;
    while (dir && rc == 0 && (entry = io_next(dir))) {
        const char *next = arena_printf(&scratch, "%s%s/", below, entry->d_name);
        struct stat info;
        if (catalog_path_counts(next) &&
            fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(info.st_mode))
            rc = add_all(&ignored, fd, folder, next, depth + 1, err);
    }
    if (dir)
        (void)closedir(dir);
    return rc;
}

int watch_open(struct watch *out, const char *folder, const char *beside, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    const char *at = slash    ? arena_memdup(&scratch, beside, (size_t)(slash - beside) + 1)
                     : beside ? "."
                              : NULL;
    *out = (struct watch){.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
                          .top = -1,
                          .at = -1,
                          .name = slash ? slash + 1 : beside};
    if (out->fd < 0)
        return err_errno(err, errno, "io", "cannot watch files");
    int rc = add_all(&out->top, out->fd, folder, "", 0, err);
    if (rc == 0 && at)
        rc = add_one(&out->at, out->fd, at, err);
    if (rc < 0)
        watch_close(out);
    return rc;
}

void watch_close(struct watch *watch)
{
    if (watch->fd >= 0)
        (void)close(watch->fd);
    watch->fd = -1;
}

/* Of the catalog's own folder, and of that of a file beside it, not all files count. */
static bool event_counts(const struct watch *watch, const struct inotify_event *event)
{
    ARENA_SCRATCH(scratch);
    const char *name = event->len ? event->name : "";
    bool of_top =
        catalog_path_counts(name) || catalog_path_counts(arena_printf(&scratch, "%s/", name));
    bool of_name = watch->name && strcmp(name, watch->name) == 0;
    if (event->wd < 0 || (event->wd != watch->top && event->wd != watch->at))
        return true; /* below it; or there was too much to be told */
    return (event->wd == watch->top && of_top) || (event->wd == watch->at && of_name);
}

/* Takes what has happened so far; whether any of it counts. */
static bool drain(const struct watch *watch)
{
    _Alignas(struct inotify_event) char events[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
    bool any = false;
    ssize_t got;
    while ((got = read(watch->fd, events, sizeof(events))) > 0)
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *event = (const void *)(events + at);
            any |= event_counts(watch, event);
            at += (ssize_t)(sizeof(*event) + event->len);
        }
    return any;
}

int watch_wait(const struct watch *watch, struct err *err)
{
    static const struct timespec quiet = {.tv_nsec = QUIET_MS * 1000000L};
    do {
        if (interrupt_wait(watch->fd, err) < 0)
            return -1;
    } while (!drain(watch));
    for (int i = 0; i < QUIET_TRIES; i++) {
        (void)nanosleep(&quiet, NULL);
        if (!drain(watch))
            break;
    }
    return interrupt_check(err);
}

/* A new folder of files: all of it, or nothing. */
#include "import/write.h"

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/io.h"
#include "base/str.h"
#include "import/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *path, const char *why, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "target-not-empty", "'%s' %s", path, why);
    return err_hint(err, "name another --output, or move what is there away");
}

int write_check(const char *path, struct err *err)
{
    struct stat info;
    bool empty;
    if (lstat(path, &info) < 0)
        return errno == ENOENT ? 0 : err_errno(err, errno, "io", "cannot look at '%s'", path);
    if (!S_ISDIR(info.st_mode))
        return refuse(path, S_ISLNK(info.st_mode) ? "is a link" : "is a file", err);
    if (io_is_empty(&empty, path, NULL, err) < 0)
        return -1;
    return empty ? 0 : refuse(path, "is not empty", err);
}

static int write_files(const char *folder, const struct draft_file *files, size_t count,
                       struct err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    struct io_maker maker = IO_MAKER_INIT(fd);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", folder);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = interrupt_check(err);
        if (rc == 0)
            rc = io_make(&maker, files[i].path, files[i].bytes, files[i].executable, err);
    }
    io_maker_release(&maker);
    (void)close(fd);
    return rc;
}

/* Over an empty folder, or where there is none. */
static int put_in_place(const char *beside, const char *path, struct err *err)
{
    if (rename(beside, path) == 0)
        return 0;
    return errno == ENOTEMPTY || errno == EEXIST
               ? refuse(path, "has got files meanwhile", err)
               : err_errno(err, errno, "io", "cannot make '%s'", path);
}

int write_folder(struct arena *arena, const char *path, const struct draft_file *files,
                 size_t count, struct err *err)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *target = arena_memdup(arena, path, len), *slash = strrchr(target, '/');
    const char *above = !slash            ? "."
                        : slash == target ? "/"
                                          : arena_memdup(arena, target, (size_t)(slash - target));
    const char *made = NULL,
               *beside = arena_printf(arena, "%s/.%.100s.%08x%08x.new", above,
                                      slash ? slash + 1 : target, arc4random(), arc4random());
    if (io_make_folders(&made, arena, above, err) < 0)
        return -1;
    if (mkdir(beside, 0777) < 0)
        return err_errno(err, errno, "io", "cannot make '%s'", beside);
    int rc = write_files(beside, files, count, err);
    if (rc == 0)
        rc = put_in_place(beside, target, err);
    if (rc < 0) {
        io_remove(AT_FDCWD, beside);
        if (made)
            io_remove(AT_FDCWD, made);
    }
    return rc;
}

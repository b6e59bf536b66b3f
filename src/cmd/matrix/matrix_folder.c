/* The folder of a catalog whose matrix is written to. */
#include "cmd/matrix/matrix_folder.h"

#include "base/arena.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_session.h"
#include "io/interrupt.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int matrix_folder(const char **out, struct session *s, const char *what, const char *like)
{
    struct stat info;
    const char *folder = opt_value(&s->run->options, "catalog");
    *out = folder;
    if (folder && stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
        return 0;
    (void)err_set(s->err, TG_USAGE, "usage", "%s needs a folder to write to", what);
    return err_hint(s->err, "%s", like);
}

/* Of a catalog that extends another the file may be that one's. */
static int refuse_missing(const char *path, struct err *err)
{
    (void)err_set(err, TG_USAGE, "missing-file", "there is no '%s' to write to", path);
    return err_hint(err, "where it is a file of a catalog that this one extends, add rows in "
                         "matrices/rows/, or copy it and name it under 'overrides'");
}

int matrix_replace_file(const char *path, const char *text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct stat before;
    char *beside = arena_printf(&scratch, "%s.XXXXXX", path);
    bool there = stat(path, &before) == 0;
    if (!there && errno == ENOENT)
        return refuse_missing(path, err);
    int fd = there ? mkostemp(beside, O_CLOEXEC) : -1;
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot write beside '%s'", path);
    bool written = io_write_all(fd, span_from(text)) == 0 &&
                   fchmod(fd, before.st_mode & 07777) == 0 && fsync(fd) == 0;
    if (close(fd) == 0 && written && rename(beside, path) == 0) {
        interrupt_settle();
        return 0;
    }
    int number = errno;
    (void)unlink(beside);
    return err_errno(err, number, "io", "cannot write '%s'", path);
}

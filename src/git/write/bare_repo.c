/* An empty bare repository, made without asking git or its configuration. */
#include "git/bare_repo.h"

#include "base/arena.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int put(const char *path, const char *text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot make '%s'", path);
    int rc = io_write_all(fd, span_from(text));
    if (close(fd) < 0 || rc < 0)
        return err_errno(err, errno, "io", "cannot write '%s'", path);
    return 0;
}

int bare_repo_make(const char *folder, struct err *err)
{
    static const char *const folders[] = {"", "/objects", "/objects/pack", "/refs"};
    ARENA_SCRATCH(scratch);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        const char *path = arena_printf(&scratch, "%s%s", folder, folders[i]);
        if (mkdir(path, 0700) < 0)
            return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    }
    if (put(arena_printf(&scratch, "%s/HEAD", folder), "ref: refs/heads/none\n", err) < 0)
        return -1;
    return put(arena_printf(&scratch, "%s/config", folder),
               "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", err);
}

/* Files and folders on disk: whole reads, exclusive writes, removal, names for scratch. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The whole file at `path` (below `folder`, an open descriptor, or AT_FDCWD), in the arena. More
 * than `max` bytes is exit 2, "limit". Links are followed.
 */
TG_CHECKED int io_read(struct span *out, struct arena *arena, int folder, const char *path,
                       size_t max, struct err *err);
/* The same of a regular file only: a pipe or device that lies there is an error, never waited for.
 */
TG_CHECKED int io_read_file(struct span *out, struct arena *arena, int folder, const char *path,
                            size_t max, struct err *err);
/* Whether anything but a regular file (or a folder, or nothing) lies there, links followed. */
bool io_is_special(int folder, const char *path);
/*
 * Makes files below the open folder `top`. The folder of the last one stays open, as sorted files
 * follow in the same one. Release with io_maker_release.
 */
struct io_maker {
    int top, folder;                 /* -1: none yet */
    char path[LIMIT_PATH_BYTES + 1]; /* of `folder`, with a '/' behind it; "" for `top` */
};

#define IO_MAKER_INIT(fd)                                                                          \
    {                                                                                              \
        (fd), -1, ""                                                                               \
    }
/*
 * Makes a file that must not be there, and its folders; never through a link in a folder that this
 * maker did not make. The mode is 0666 or 0777 less the umask.
 */
TG_CHECKED int io_make(struct io_maker *maker, const char *path, struct span bytes, bool executable,
                       struct err *err);
/* Makes a folder and those above it; one that is there is fine. */
TG_CHECKED int io_make_folder(struct io_maker *maker, const char *path, struct err *err);
void io_maker_release(struct io_maker *maker);
/* A file or folder below an open one; "." is that one itself. */
struct io_place {
    int folder;
    const char *path;
};
/*
 * Makes files and folders durable, several at once: one turn of the disk, and one commit of the
 * file system's journal, serve them all.
 */
TG_CHECKED int io_sync(const struct io_place *places, size_t count, struct err *err);
/* Writes all of `bytes`; -1 with errno set. */
TG_CHECKED int io_write_all(int fd, struct span bytes);
/*
 * Renames a file or a folder: `new` must not be there (-1, EEXIST). Where rename takes
 * no flags (NFS, sshfs) a file is linked and unlinked, a folder put over one made for it; where
 * there are no links either: -1, EOPNOTSUPP. A cut between the two leaves a file with both names.
 */
TG_CHECKED int io_move_new(int from, const char *old, int to, const char *new);
/*
 * The same, but that a file system which has neither takes the name by an empty file first: for
 * names that nobody else writes through.
 */
TG_CHECKED int io_claim(int from, const char *old, int to, const char *new);
/* fsync, but that a file system may not know it, or not of folders: nothing to be done about it. */
TG_CHECKED int io_fsync(int fd);
/* True for the error of a call that the file system does not know, or not for this. */
bool io_is_unsupported(int number);
/* Makes `path` and its missing parents. `*made` is the topmost one made, in the arena, or NULL. */
TG_CHECKED int io_make_folders(const char **made, struct arena *arena, const char *path,
                               struct err *err);
/* Removes a file or a whole folder, links not followed. Failures are passed over. */
void io_remove(int folder, const char *path);
/* The path without links, "." and "..", in the arena; NULL with errno. */
const char *io_real_path(struct arena *arena, const char *path);
/* A folder to read, never through a link: "." is `folder` itself. NULL with errno. */
DIR *io_open_dir(int folder, const char *name);
/* The next name but "." and ".."; NULL at the end, with errno 0, or where it cannot be read. */
struct dirent *io_next(DIR *dir);
/* True where the folder holds nothing, or nothing but `except` (NULL: nothing). */
TG_CHECKED int io_is_empty(bool *out, const char *folder, const char *except, struct err *err);

/* Closed at the end of the scope, where they are open (not -1, not NULL); errno stays. */
#define IO_FD_SCRATCH(name) __attribute__((cleanup(io_close_fd))) int name
#define IO_DIR_SCRATCH(name) __attribute__((cleanup(io_close_dir))) DIR *name
void io_close_fd(const int *fd);
void io_close_dir(DIR *const *dir);

/* Files and folders on disk: whole reads, exclusive writes, removal, names for scratch. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the whole file `path` (below the open `folder`, or AT_FDCWD) into the arena. More than
 * `max` bytes is exit 2, "limit". Follows links.
 */
TG_CHECKED int io_read(struct span *out, struct arena *arena, int folder, const char *path,
                       size_t max, struct err *err);
/* The same for regular files only: a pipe or device is an error, and is never waited for. */
TG_CHECKED int io_read_file(struct span *out, struct arena *arena, int folder, const char *path,
                            size_t max, struct err *err);
/* Whether `path` is something other than a file or a folder; follows links. False if missing. */
bool io_is_special(int folder, const char *path);
/*
 * Creates files below the open folder `top`. Keeps the last file's folder open, because sorted
 * files share folders. Release with io_maker_release.
 */
struct io_maker {
    int top, folder;                 /* `folder` is -1 until the first file */
    char path[LIMIT_PATH_BYTES + 1]; /* of `folder`, ending in '/'; "" for `top` */
};

#define IO_MAKER_INIT(fd)                                                                          \
    {                                                                                              \
        (fd), -1, ""                                                                               \
    }
/*
 * Creates a file, which must not exist, and its folders. Never goes through a link in a folder that
 * this maker did not create. The mode is 0666 or 0777, less the umask.
 */
TG_CHECKED int io_make(struct io_maker *maker, const char *path, struct span bytes, bool executable,
                       struct err *err);
/* Creates a folder and its parents; existing ones are fine. */
TG_CHECKED int io_make_folder(struct io_maker *maker, const char *path, struct err *err);
void io_maker_release(struct io_maker *maker);
/* A file or folder below an open one; "." is that one itself. */
struct io_place {
    int folder;
    const char *path;
};
/*
 * Makes files and folders durable, several in parallel: they share one flush of the disk, and one
 * commit of the file system's journal.
 */
TG_CHECKED int io_sync(const struct io_place *places, size_t count, struct err *err);
/* Writes all of `bytes`; -1 with errno set. */
TG_CHECKED int io_write_all(int fd, struct span bytes);
/*
 * Renames a file or folder to a `new` name, which must not exist (-1, EEXIST). On file systems
 * whose rename takes no flags (NFS, sshfs) it links and unlinks a file, and renames a folder over
 * one made for it; without hard links: -1, EOPNOTSUPP. A crash in between leaves a file with both
 * names.
 */
TG_CHECKED int io_move_new(int from, const char *old, int to, const char *new);
/*
 * The same, but without hard links it first creates an empty file under the new name: for names
 * that no other program writes to.
 */
TG_CHECKED int io_claim(int from, const char *old, int to, const char *new);
/* fsync; succeeds on a file system that does not support it, or not for folders. */
TG_CHECKED int io_fsync(int fd);
/* Bits that no other process and no other run has got: a process id is used again. */
uint64_t io_random(void);
/* Whether `number` is the errno of a call that the file system does not support. */
bool io_is_unsupported(int number);
/* Makes `path` and its missing parents. `*made` is the topmost one made, in the arena, or NULL. */
TG_CHECKED int io_make_folders(const char **made, struct arena *arena, const char *path,
                               struct err *err);
/* Removes a file or a whole folder without following links. Ignores failures. */
void io_remove(int folder, const char *path);
/* The path without links, "." and "..", in the arena; NULL with errno. */
const char *io_real_path(struct arena *arena, const char *path);
/* A folder to read, never through a link: "." is `folder` itself. NULL with errno. */
DIR *io_open_dir(int folder, const char *name);
/* The next entry except "." and ".."; NULL at the end (errno 0) or on failure (errno set). */
struct dirent *io_next(DIR *dir);
/* Whether the folder holds nothing except the entry `except`, which may be NULL. */
TG_CHECKED int io_is_empty(bool *out, const char *folder, const char *except, struct err *err);

/* Closed at the end of the scope, if open (not -1, not NULL); errno is kept. */
#define IO_FD_SCRATCH(name) __attribute__((cleanup(io_close_fd))) int name
#define IO_DIR_SCRATCH(name) __attribute__((cleanup(io_close_dir))) DIR *name
void io_close_fd(const int *fd);
void io_close_dir(DIR *const *dir);

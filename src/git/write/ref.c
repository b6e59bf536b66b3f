/* Moves refs and other small files of a repository in an update, the way git does. */
#include "git/ref.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "git/disk_entry.h"
#include "git/libgit2.h"
#include "git/repo.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096, TOKEN_MAX_BYTES = 127 };
#define PACKED_MAX (1024 * LIMIT_MIB)

/* This user can read its own files: a lock that cannot be read belongs to another. */
static bool is_foreign(int folder, const char *path)
{
    struct stat info;
    int number = errno;
    bool foreign = fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                   (!S_ISREG(info.st_mode) || info.st_uid != geteuid());
    errno = number;
    return foreign;
}

/* The text of a lock or a token; "" if there is none. -1 with errno if it cannot be read. */
static int read_token(char text[TOKEN_MAX_BYTES + 1], int folder, const char *path)
{
    *text = '\0';
    IO_FD_SCRATCH(fd) = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || is_foreign(folder, path) ? 0 : -1;
    ssize_t len = read(fd, text, TOKEN_MAX_BYTES);
    text[len > 0 ? len : 0] = '\0';
    return len < 0 && !is_foreign(folder, path) ? -1 : 0;
}

static int is_ours(bool *out, int folder, const char *lock, int tokens, const char *token,
                   struct err *err)
{
    char found[TOKEN_MAX_BYTES + 1], ours[TOKEN_MAX_BYTES + 1];
    if (read_token(found, folder, lock) < 0 || read_token(ours, tokens, token) < 0)
        return err_errno(err, errno, "io", "cannot read the lock '%s'", lock);
    *out = *ours && strcmp(found, ours) == 0;
    return 0;
}

/* Without hard links: writes a copy, which gets its name only when it is complete. */
static int lock_by_copy(int folder, const char *lock, int tokens, const char *token)
{
    static const char copy[] = "lock.copy";
    ERR_SCRATCH(ignored);
    char text[TOKEN_MAX_BYTES + 1];
    if (read_token(text, tokens, token) < 0 ||
        disk_write(tokens, copy, span_from(text), 0444, &ignored) < 0)
        return -1;
    int rc = io_move_new(tokens, copy, folder, lock), number = errno;
    if (rc < 0)
        (void)unlinkat(tokens, copy, 0);
    errno = number;
    return rc;
}

/* Takes the lock atomically if it is free. Returns 0, or -1 with errno. */
static int take_lock(int folder, const char *lock, int tokens, const char *token)
{
    if (linkat(tokens, token, folder, lock, 0) == 0)
        return 0;
    if (errno != EPERM && errno != EXDEV && errno != EMLINK && !io_is_unsupported(errno))
        return -1;
    return lock_by_copy(folder, lock, tokens, token);
}

static int make_parents(int folder, const char *path, enum disk_missing missing, struct err *err)
{
    const char *name;
    IO_FD_SCRATCH(parent) = -1;
    int rc = disk_parent(&parent, &name, folder, path, missing, err);
    return rc > 0 ? err_set(err, TG_RUNTIME, "git", "cannot make the folder of '%s'", path) : rc;
}

static int refuse_file_system(struct err *err, const char *what)
{
    (void)err_set(err, TG_REFUSED, "file-system",
                  "cannot lock %s: this file system has neither hard links nor a rename that "
                  "overwrites nothing",
                  what);
    return err_hint(err, "nothing was changed; put the repository on another file system");
}

int ref_probe(int tokens, const char *token, struct err *err)
{
    int rc = take_lock(tokens, REF_PROBE, tokens, token), number = errno;
    (void)unlinkat(tokens, REF_PROBE, 0);
    if (rc == 0 || number == EEXIST)
        return 0;
    return number == EOPNOTSUPP ? refuse_file_system(err, "the repository")
                                : err_errno(err, number, "io", "cannot lock the repository");
}

int ref_lock(int folder, const char *path, int tokens, const char *token, const char *what,
             struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *lock = arena_printf(&scratch, "%s.lock", path);
    if (make_parents(folder, path, DISK_MAKE_DURABLY, err) < 0)
        return -1;
    if (take_lock(folder, lock, tokens, token) == 0)
        return 0;
    int number = errno;
    bool ours;
    if (is_ours(&ours, folder, lock, tokens, token, err) < 0)
        return -1;
    if (ours)
        return 0;
    if (number == EOPNOTSUPP)
        return refuse_file_system(err, what);
    if (number != EEXIST)
        return err_errno(err, number, "io", "cannot lock %s", what);
    (void)err_set(err, TG_REFUSED, "locked", "%s is locked: another git command is at work", what);
    return err_hint(err, "wait for it and try again; if it is long dead, remove '%s'", lock);
}

int ref_unlock(int folder, const char *path, int tokens, const char *token, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *lock = arena_printf(&scratch, "%s.lock", path);
    bool ours;
    if (is_ours(&ours, folder, lock, tokens, token, err) < 0)
        return -1;
    if (ours && unlinkat(folder, lock, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove the lock '%s'", lock);
    return 0;
}

int ref_read(struct oid *out, bool *found, const struct repo *repo, const char *name,
             struct err *err)
{
    git_reference *ref = NULL;
    int rc = git_reference_lookup(&ref, repo->git, name);
    *found = rc == 0 && git_reference_type(ref) == GIT_REFERENCE_DIRECT;
    if (*found)
        *out = oid_from(git_reference_target(ref));
    git_reference_free(ref);
    return rc < 0 && rc != GIT_ENOTFOUND ? git_fail(err, "cannot read '%s'", name) : 0;
}

int ref_put(int folder, const char *path, int tokens, const char *from, struct err *err)
{
    const char *name;
    IO_FD_SCRATCH(parent) = -1;
    if (faccessat(tokens, from, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return 0;
    int rc = disk_parent(&parent, &name, folder, path, DISK_MAKE_DURABLY, err);
    if (rc > 0)
        return err_set(err, TG_RUNTIME, "git", "cannot make the folder of '%s'", path);
    if (rc < 0)
        return -1;
    rc = renameat(tokens, from, parent, name);
    if (rc < 0 && errno == EISDIR && disk_remove_empty(parent, name) == 0)
        rc = renameat(tokens, from, parent, name);
    return rc < 0 ? err_errno(err, errno, "io", "cannot write '%s'", path)
                  : disk_sync_folder(parent, path, err);
}

int ref_says(bool *out, int folder, const char *path, const char *text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct span found;
    struct stat info;
    size_t most = strlen(text) + LIMIT_DOCUMENT_BYTES;
    *out = false;
    if (fstatat(folder, path, &info, 0) < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : err_errno(err, errno, "io", "cannot look for '%s'", path);
    if (!S_ISREG(info.st_mode) || info.st_size > (off_t)most)
        return 0; /* a folder of branches with this prefix */
    if (io_read_file(&found, &scratch, folder, path, most, err) < 0)
        return -1;
    *out = span_equal(span_trim_end(found, "\n"), span_from(text));
    return 0;
}

int ref_remove(int folder, const char *path, const char *text, struct err *err)
{
    bool says;
    if (ref_says(&says, folder, path, text, err) < 0)
        return -1;
    if (says && unlinkat(folder, path, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove '%s'", path);
    return 0;
}

/* Whether the line "ID NAME" of packed-refs is one of `names`. */
static bool names_line(const char *const *names, size_t count, struct span line)
{
    const char *space = memchr(line.ptr, ' ', line.len);
    if (!space || *line.ptr == '#')
        return false;
    struct span name = span_of(space + 1, line.len - (size_t)(space + 1 - line.ptr));
    for (size_t i = 0; i < count; i++)
        if (names[i] && span_equal(span_from(names[i]), name))
            return true;
    return false;
}

/* A line with '^' belongs to the line before it. Sets `*less` if a line was left out. */
static void copy_packed(struct buf *out, bool *less, struct span text, const char *const *names,
                        size_t count)
{
    bool left_out = false;
    while (text.len) {
        const char *start = text.ptr;
        struct span line = span_cut_line(&text);
        if (*start != '^')
            left_out = names_line(names, count, line);
        if (left_out)
            *less = true;
        else
            (void)buf_append(out, start, (size_t)(text.ptr - start));
    }
}

static int rewrite_packed(int common, int tokens, const char *const *names, size_t count,
                          struct err *err)
{
    static const char draft[] = "packed-refs.new";
    ARENA_SCRATCH(scratch);
    BUF_SCRATCH(out, PACKED_MAX);
    struct stat info;
    struct span text;
    bool less = false;
    if (fstatat(common, "packed-refs", &info, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    if (io_read_file(&text, &scratch, common, "packed-refs", PACKED_MAX, err) < 0)
        return -1;
    copy_packed(&out, &less, text, names, count);
    if (!less)
        return 0;
    if (disk_write(tokens, draft, span_of(buf_text(&out), out.len), info.st_mode & 0777, err) < 0 ||
        disk_sync(tokens, draft, err) < 0)
        return -1;
    if (renameat(tokens, draft, common, "packed-refs") < 0)
        return err_errno(err, errno, "io", "cannot write packed-refs");
    return disk_sync_folder(common, "packed-refs", err);
}

/* Deletes packed refs first: otherwise deleting a loose ref would restore the packed one. */
int ref_delete_all(int common, int tokens, const char *token, const char *const *names,
                   size_t count, struct err *err)
{
    if (ref_lock(common, "packed-refs", tokens, token, "packed-refs", err) < 0)
        return -1;
    int rc = rewrite_packed(common, tokens, names, count, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (names[i] && unlinkat(common, names[i], 0) < 0 && errno != ENOENT)
            rc = err_errno(err, errno, "io", "cannot remove '%s'", names[i]);
    ERR_SCRATCH(second);
    int unlocked = ref_unlock(common, "packed-refs", tokens, token, rc < 0 ? &second : err);
    return rc < 0 ? rc : unlocked;
}

/* Whether to log: git's default is yes for branches and HEAD. */
static bool log_wanted(const struct repo *repo, int folder, const char *path)
{
    const char *value = repo_text(repo, "core.logallrefupdates");
    if (!value || strcmp(value, "always") == 0)
        return true;
    return repo_flag(repo, "core.logallrefupdates", true) ||
           faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether the log's last line starts with `start`. */
static bool logged(int fd, const char *start)
{
    char tail[LINE_MAX_BYTES + 1];
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > LINE_MAX_BYTES ? size - LINE_MAX_BYTES : 0;
    ssize_t len = size > 0 ? pread(fd, tail, LINE_MAX_BYTES, from) : 0;
    if (len <= 0)
        return false;
    tail[len] = '\0';
    if (tail[len - 1] == '\n')
        tail[len - 1] = '\0';
    const char *line = strrchr(tail, '\n');
    return str_starts(line ? line + 1 : tail, start);
}

/*
 * A reflog is optional: a failure to write it does not fail the update, and as in git it is not
 * synced.
 */
static void append_log(const struct repo *repo, int folder, const char *path, const char *start,
                       const char *rest)
{
    ERR_SCRATCH(err);
    ARENA_SCRATCH(scratch);
    if (!log_wanted(repo, folder, path) || make_parents(folder, path, DISK_MAKE, &err) < 0)
        return;
    IO_FD_SCRATCH(fd) =
        openat(folder, path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 || logged(fd, start))
        return;
    const char *line = arena_printf(&scratch, "%s%s\n", start, rest);
    off_t size = lseek(fd, 0, SEEK_END);
    size_t len = strlen(line);
    if (write(fd, line, len) != (ssize_t)len)
        (void)!ftruncate(fd, size);
}

void ref_log_head(const struct repo *repo, const struct oid *old, const struct oid *new,
                  const char *who, const char *what)
{
    ARENA_SCRATCH(scratch);
    append_log(repo, repo->git_fd, "logs/HEAD",
               arena_printf(&scratch, "%s %s %s\t%s", oid_text(&scratch, old),
                            oid_text(&scratch, new), who, what),
               "");
}

void ref_log_branch(const struct repo *repo, const char *branch, const struct oid *old,
                    const struct oid *new, const char *who, const char *what)
{
    ARENA_SCRATCH(scratch);
    append_log(repo, repo->common_fd, arena_printf(&scratch, "logs/%s", branch),
               arena_printf(&scratch, "%s %s ", oid_text(&scratch, old), oid_text(&scratch, new)),
               arena_printf(&scratch, "%s\t%s", who, what));
}

void ref_log(const struct repo *repo, const char *branch, const struct oid *old,
             const struct oid *new, const char *who, const char *what)
{
    ARENA_SCRATCH(scratch);
    const struct oid *head = oid_is_zero(old) && !repo->unborn ? &repo->head : old;
    append_log(repo, repo->git_fd, "logs/HEAD",
               arena_printf(&scratch, "%s %s ", oid_text(&scratch, head), oid_text(&scratch, new)),
               arena_printf(&scratch, "%s\t%s", who, what));
    ref_log_branch(repo, branch, old, new, who, what);
}

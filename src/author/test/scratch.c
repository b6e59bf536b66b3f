/* The scratch folder: a type is rendered into it again and again, as its catalog changes. */
#include "author/scratch.h"

#include "author/differences.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "catalog/render.h"
#include "child/write_child.h"
#include "git/disk_entry.h"
#include "git/repo.h"
#include "io/interrupt.h"
#include "io/io.h"
#include "io/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SCRATCHES SCRATCH_MARK
#define MARK_BYTES_MAX (64 * LIMIT_MIB)
#define DRAFT SCRATCH_MARK ".draft"
#define HEAD "# Written by `tmplgen template render`, which replaces what it lists: ID PATH.\n"

/* A file that was written, or was about to be: listed twice where a run was cut off in between. */
struct mark {
    struct oid id;
    const char *path;
};

struct scratch {
    struct arena *arena;
    const char *folder;
    int top;
    mode_t mask;
    struct mark *marks;
    size_t count;
    struct render old; /* files of the marks that lie there unchanged */
    struct err *err;
};

int scratch_default(const char **out, struct arena *arena, const char *type, struct err *err)
{
    const char *topmost;
    *out = arena_printf(arena, SCRATCHES "/%s", type);
    if (io_make_folders(&topmost, arena, SCRATCHES, err) < 0)
        return -1;
    IO_FD_SCRATCH(fd) =
        open(SCRATCHES "/.gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool made = fd >= 0 && io_write_all(fd, span_from("*\n")) == 0;
    return made || (fd < 0 && errno == EEXIST)
               ? 0
               : err_errno(err, errno, "io", "cannot write in '%s'", SCRATCHES);
}

int scratch_check(struct arena *arena, const char *folder, const char *output, struct err *err)
{
    static const char *const own[] = {"templates", "base-images", "matrices"};
    const char *top, *place;
    if (create_absolute(&top, arena, folder, err) < 0 ||
        create_absolute(&place, arena, output, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
        const char *below = arena_printf(arena, "%s/%s/", top, own[i]);
        if (!str_starts(arena_printf(arena, "%s/", place), below))
            continue;
        (void)err_set(
            err, TG_REFUSED, "output-in-catalog",
            "'%s' lies in %s/ of the catalog: what is rendered there would be a part of it", output,
            own[i]);
        return err_hint(err, "give a folder elsewhere to --output");
    }
    return 0;
}

static int refuse(const struct scratch *s, const char *what, const char *why)
{
    (void)err_set(s->err, TG_REFUSED, "target-not-empty", "'%s' %s", what, why);
    return err_hint(s->err, "give another folder to --output, or move what is there away");
}

/* ---------------------------------------------------------------- present files */

static int read_line(struct scratch *s, char *line)
{
    struct mark mark;
    char *path = strchr(line, ' ');
    ERR_SCRATCH(unsafe);
    if (path)
        *path++ = '\0';
    mark.path = path;
    if (!path || oid_parse(&mark.id, line) < 0 || path_check(path, &unsafe) < 0)
        return refuse(s, s->folder, "has a '" SCRATCH_MARK "' that tmplgen did not write");
    arena_push(s->arena, s->marks, s->count) = mark;
    return 0;
}

/* Without a mark the folder must be empty. */
static int read_marks(struct scratch *s, bool *first)
{
    struct span text;
    struct stat info;
    bool empty;
    *first = fstatat(s->top, SCRATCH_MARK, &info, AT_SYMLINK_NOFOLLOW) < 0;
    if (*first) {
        if (io_is_empty(&empty, s->folder, NULL, s->err) < 0)
            return -1;
        return empty ? 0 : refuse(s, s->folder, "is not empty, and no scratch folder");
    }
    if (io_read_file(&text, s->arena, s->top, SCRATCH_MARK, MARK_BYTES_MAX, s->err) < 0)
        return -1;
    char *rest = arena_memdup(s->arena, text.ptr, text.len), *line;
    while ((line = strsep(&rest, "\n")))
        if (*line && *line != '#' && read_line(s, line) < 0)
            return -1;
    return 0;
}

/* Where one path has two marks, one of them, or both, describe the present file. */
static int read_old(struct scratch *s)
{
    s->old.entries = arena_array(s->arena, s->count + 1, sizeof(*s->old.entries));
    for (size_t i = 0; i < s->count; i++) {
        BUF_SCRATCH(bytes, LIMIT_RENDERED_BYTES);
        struct disk_entry disk;
        if (disk_look(&disk, NULL, &bytes, s->top, s->marks[i].path, s->err) < 0)
            return -1;
        if (disk.kind != DISK_FILE || !oid_equal(&disk.raw, &s->marks[i].id))
            continue;
        struct render_entry *entry = &s->old.entries[s->old.count++];
        *entry = (struct render_entry){
            .path = s->marks[i].path,
            .executable = disk.executable,
            .bytes = span_of(arena_memdup(s->arena, buf_text(&bytes), bytes.len), bytes.len)};
        memcpy(entry->id, disk.raw.id, sizeof(entry->id));
    }
    render_sort(&s->old);
    size_t kept = 0;
    for (size_t i = 0; i < s->old.count; i++)
        if (i == 0 || strcmp(s->old.entries[i].path, s->old.entries[kept - 1].path) != 0)
            s->old.entries[kept++] = s->old.entries[i];
    s->old.count = kept;
    return 0;
}

static bool is_below(const char *path, const char *folder)
{
    return str_starts(path, folder) && path[strlen(folder)] == '/';
}

/* True where a file replaces a folder of old files, or a folder replaces an old file. */
static bool goes_away(const struct scratch *s, const char *path)
{
    for (size_t i = 0; i < s->old.count; i++)
        if (is_below(path, s->old.entries[i].path) || is_below(s->old.entries[i].path, path))
            return true;
    return false;
}

/* Checks that no foreign file lies where the render goes. */
static int check_free(const struct scratch *s, const struct render *new)
{
    for (size_t i = 0; i < new->count; i++) {
        struct disk_entry disk;
        const char *path = new->entries[i].path;
        if (strcmp(path, SCRATCH_MARK) == 0)
            return err_set(s->err, TG_USAGE, "path-clash", "'%s' is tmplgen's own name", path);
        if (render_find(&s->old, path) >= 0)
            continue;
        if (disk_look(&disk, NULL, NULL, s->top, path, s->err) < 0)
            return -1;
        bool same = disk.kind == DISK_FILE &&
                    memcmp(disk.raw.id, new->entries[i].id, sizeof(disk.raw.id)) == 0;
        if (disk.kind != DISK_ABSENT && !same && !goes_away(s, path))
            return refuse(s, arena_printf(s->arena, "%s/%s", s->folder, path),
                          "is not as it was written there");
    }
    return 0;
}

/* ---------------------------------------------------------------- writing */

static void put_marks(struct buf *out, const struct render *render)
{
    for (size_t i = 0; i < render->count; i++) {
        char hex[41];
        const struct oid id = oid_from(render->entries[i].id);
        oid_hex(hex, &id);
        (void)buf_printf(out, "%s %s\n", hex, render->entries[i].path);
    }
}

static int write_at(const struct scratch *s, const char *path, struct span bytes, bool executable)
{
    const char *name;
    int folder, rc = disk_parent(&folder, &name, s->top, path, DISK_MAKE, s->err);
    if (rc > 0)
        return refuse(s, arena_printf(s->arena, "%s/%s", s->folder, path), "is in a way of links");
    if (rc == 0) {
        rc = disk_write(folder, DRAFT, bytes, (executable ? 0777 : 0666) & ~s->mask, s->err);
        if (rc == 0 && renameat(folder, DRAFT, folder, name) < 0)
            rc = err_errno(s->err, errno, "io", "cannot write '%s/%s'", s->folder, path);
        (void)close(folder);
    }
    return rc;
}

/* Lists the files of both renders, so that a crash on the way leaves no unknown file. */
static int write_marks(const struct scratch *s, const struct render *old, const struct render *new)
{
    BUF_SCRATCH(text, MARK_BYTES_MAX);
    (void)buf_puts(&text, HEAD);
    if (old)
        put_marks(&text, old);
    put_marks(&text, new);
    return write_at(s, SCRATCH_MARK, span_of(buf_text(&text), text.len), false);
}

static int write_new(const struct scratch *s, const struct render *new)
{
    for (size_t i = 0; i < new->count; i++) {
        const struct render_entry *entry = &new->entries[i];
        long index = render_find(&s->old, entry->path);
        const struct render_entry *old = index >= 0 ? &s->old.entries[index] : NULL;
        if (old && old->executable == entry->executable &&
            memcmp(old->id, entry->id, sizeof(old->id)) == 0)
            continue;
        if (write_at(s, entry->path, entry->bytes, entry->executable) < 0)
            return -1;
    }
    return 0;
}

/* Also removes the folders that become empty. */
static int remove_file(const struct scratch *s, const char *path)
{
    const char *name;
    int folder, rc = disk_parent(&folder, &name, s->top, path, DISK_FIND, s->err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = unlinkat(folder, name, 0);
    (void)close(folder);
    if (rc < 0 && errno != ENOENT)
        return err_errno(s->err, errno, "io", "cannot remove '%s/%s'", s->folder, path);
    char *above = arena_strdup(s->arena, path), *slash;
    while ((slash = strrchr(above, '/'))) {
        *slash = '\0';
        if (disk_parent(&folder, &name, s->top, above, DISK_FIND, s->err) != 0)
            break;
        rc = unlinkat(folder, name, AT_REMOVEDIR);
        (void)close(folder);
        if (rc < 0)
            break;
    }
    return 0;
}

static int remove_old(const struct scratch *s, const struct render *new)
{
    for (size_t i = 0; i < s->old.count; i++)
        if (render_find(new, s->old.entries[i].path) < 0 &&
            remove_file(s, s->old.entries[i].path) < 0)
            return -1;
    return 0;
}

static int put(struct differences *out, bool *first, struct scratch *s, const struct render *new)
{
    if (read_marks(s, first) < 0 || read_old(s) < 0 || check_free(s, new) < 0 ||
        differences_add(out, s->arena, &s->old, new, "", s->err) < 0)
        return -1;
    if (out->count == 0 && !*first)
        return 0;
    /* a folder may replace a file, and a file a folder: removes the old ones first */
    if (write_marks(s, &s->old, new) < 0 || remove_old(s, new) < 0 || write_new(s, new) < 0)
        return -1;
    return write_marks(s, NULL, new);
}

int scratch_put(struct differences *out, bool *first, struct arena *arena, const char *folder,
                const struct render *render, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct scratch s = {.arena = arena, .folder = folder, .err = err};
    const char *made;
    *out = (struct differences){0};
    s.mask = umask(0);
    (void)umask(s.mask);
    if (io_make_folders(&made, arena, folder, err) < 0)
        return -1;
    s.top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s.top < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", folder);
    int rc = put(out, first, &s, render);
    (void)close(s.top);
    return rc;
}

/* ---------------------------------------------------------------- waiting for the next save */

#define CHANGES                                                                                    \
    (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR)

enum { QUIET_MS = 15, QUIET_TRIES = 20 }; /* editors save in several steps */

/* Watches a folder; -1 as its number where it has just been removed. */
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

/* Watches the folder and everything below it that belongs to a catalog. */
static int add_all(int *number, int fd, const char *folder, const char *below, size_t depth,
                   struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *path = arena_printf(&scratch, "%s/%s", folder, below);
    int ignored;
    if (add_one(number, fd, path, err) < 0)
        return -1;
    IO_DIR_SCRATCH(dir) = depth <= LIMIT_TREE_DEPTH ? opendir(path) : NULL;
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

/* In the catalog's own folder, and in that of the file beside it, only some files count. */
static bool event_counts(const struct watch *watch, const struct inotify_event *event)
{
    ARENA_SCRATCH(scratch);
    const char *name = event->len ? event->name : "";
    bool of_top =
        catalog_path_counts(name) || catalog_path_counts(arena_printf(&scratch, "%s/", name));
    bool of_name = watch->name && strcmp(name, watch->name) == 0;
    if (event->wd < 0 || (event->wd != watch->top && event->wd != watch->at))
        return true; /* a folder below it; or too many events to report */
    return (event->wd == watch->top && of_top) || (event->wd == watch->at && of_name);
}

/* Reads the events so far; true where any of them counts. */
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

/* Replaces the content of one path of the work tree where it is known; never an unknown content. */
#include "apply/steps/file_swap.h"

#include "base/arena.h"
#include "git/store.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 32, KEPT_MAX = 10000 };

#define OTHER ".old"
#define EMPTIED ".folder"

/* One step at one path. */
struct step {
    const struct swap *swap;
    const struct path_change *change;
    const struct disk_entry *source, *target;
    char file[NAME_MAX_BYTES];    /* in the stage */
    char other[NAME_MAX_BYTES];   /* the second one, where the file system cannot exchange */
    char emptied[NAME_MAX_BYTES]; /* an empty folder that the file replaced */
    int folder;                   /* the path's folder; -1: it is missing */
    const char *name;
    struct err *err;
};

bool swap_same(const struct swap *swap, const struct disk_entry *a, const struct disk_entry *b)
{
    if (a->kind != DISK_FILE || b->kind != DISK_FILE || swap->modes_count)
        return disk_equal(a, b);
    return oid_equal(&a->raw, &b->raw);
}

static int fail(const struct step *s, const char *what)
{
    return err_errno(s->err, errno, "io", "cannot %s '%s'", what, s->change->path);
}

static void name_files(struct step *s, size_t number)
{
    (void)snprintf(s->file, sizeof(s->file), "%zu", number);
    (void)snprintf(s->other, sizeof(s->other), "%zu" OTHER, number);
    (void)snprintf(s->emptied, sizeof(s->emptied), "%zu" EMPTIED, number);
}

/*
 * For file systems without RENAME_EXCHANGE. The path is empty for a moment. If an editor puts a
 * file there in that moment, this finds it (EEXIST) and goes back; a plain rename would lose it.
 */
static int exchange_slowly(const struct step *s)
{
    int stage = s->swap->stage;
    if (renameat(s->folder, s->name, stage, s->other) < 0)
        return -1;
    if (io_move_new(stage, s->file, s->folder, s->name) < 0) {
        int number = errno;
        (void)!io_move_new(stage, s->other, s->folder, s->name);
        errno = number;
        return -1;
    }
    return renameat(stage, s->other, stage, s->file);
}

static int exchange(const struct step *s)
{
    if (renameat2(s->swap->stage, s->file, s->folder, s->name, RENAME_EXCHANGE) == 0)
        return 0;
    return io_is_unsupported(errno) ? exchange_slowly(s) : -1;
}

/* A half written file is tmplgen's own, and may be unreadable. */
static void remove_half_written(int stage, const char *name)
{
    struct stat info;
    if (fstatat(stage, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
        (info.st_mode & 0777) == DISK_HALF_WRITTEN)
        (void)unlinkat(stage, name, 0);
}

int swap_staged(struct disk_entry *out, const struct swap *swap, size_t number, struct err *err)
{
    char name[NAME_MAX_BYTES];
    (void)snprintf(name, sizeof(name), "%zu", number);
    remove_half_written(swap->stage, name);
    return disk_look(out, NULL, NULL, swap->stage, name, err);
}

int swap_stage(const struct swap *swap, size_t number, const struct path_change *change,
               const struct disk_entry *target, struct err *err)
{
    STORE_BYTES_SCRATCH(content);
    char name[NAME_MAX_BYTES];
    (void)snprintf(name, sizeof(name), "%zu", number);
    mode_t mode = target->executable ? change->mode | ((change->mode & 0444) >> 2)
                                     : change->mode & ~(mode_t)0111;
    if (store_get(&content, swap->store, STORE_BLOB, &target->raw, change->path, err) < 0)
        return -1;
    return disk_write(swap->stage, name, content.bytes, mode, err);
}

static int set_aside(const char **kept, struct step *s, const char *file)
{
    int rc = disk_parent(&s->folder, &s->name, s->swap->top, s->change->path, DISK_MAKE, s->err);
    if (rc < 0)
        return -1;
    if (rc > 0)
        return err_set(s->err, TG_RUNTIME, "io", "cannot put your '%s' back", s->change->path);
    for (int i = 1; i < KEPT_MAX; i++) {
        const char *name = arena_printf(s->swap->arena, "%s" SWAP_KEPT "%d", s->name, i);
        if (io_move_new(s->swap->stage, file, s->folder, name) == 0) {
            *kept = arena_printf(s->swap->arena, "%s" SWAP_KEPT "%d", s->change->path, i);
            break;
        }
        if (errno != EEXIST)
            break;
    }
    (void)close(s->folder);
    return *kept ? 0 : fail(s, "put aside your");
}

static bool is_known(const struct step *s, const struct disk_entry *found)
{
    return swap_same(s->swap, found, &s->change->old) || swap_same(s->swap, found, &s->change->new);
}

/* Unlinks `file` of the stage where its content is known; else puts it aside. */
static int discard_file(const char **kept, struct step *s, const char *file)
{
    struct disk_entry found;
    *kept = NULL;
    remove_half_written(s->swap->stage, file);
    if (disk_look(&found, NULL, NULL, s->swap->stage, file, s->err) < 0)
        return -1;
    if (found.kind == DISK_ABSENT)
        return 0;
    if (!is_known(s, &found))
        return set_aside(kept, s, file);
    if (unlinkat(s->swap->stage, file, 0) < 0 && errno != ENOENT)
        return fail(s, "tidy up after");
    return 0;
}

/* Makes sure that the stage has the content that goes to the path. */
static int ready(struct step *s, size_t number)
{
    struct disk_entry staged;
    if (swap_staged(&staged, s->swap, number, s->err) < 0)
        return -1;
    if (s->target->kind == DISK_FILE && disk_equal(&staged, s->target))
        return 0;
    if (staged.kind != DISK_ABSENT) {
        const char *kept;
        if (discard_file(&kept, s, s->file) < 0)
            return -1;
    }
    if (s->target->kind != DISK_FILE)
        return 0;
    if (swap_stage(s->swap, number, s->change, s->target, s->err) < 0)
        return -1;
    return disk_sync(s->swap->stage, s->file, s->err);
}

static int replace(enum swap_result *result, const struct step *s, size_t number)
{
    struct disk_entry out;
    if (exchange(s) < 0)
        return errno == ENOENT || errno == EEXIST ? 0 : fail(s, "replace");
    int rc = swap_staged(&out, s->swap, number, s->err);
    if (rc == 0 && swap_same(s->swap, &out, s->source))
        *result = SWAP_DONE;
    else if (exchange(s) < 0)
        rc = fail(s, "put back");
    return rc;
}

/*
 * Moves an empty folder out of the way: 0. The stage keeps it, so that undoing need not make it.
 * Returns 1 where the folder is not empty; -1 with errno where it cannot be moved.
 */
static int put_folder_away(const struct step *s)
{
    int stage = s->swap->stage;
    int hollow = disk_is_hollow(s->folder, s->name);
    if (hollow <= 0)
        return hollow < 0 ? -1 : 1;
    (void)disk_remove_empty(stage, s->emptied); /* left by such a move that was cut off */
    if (io_move_new(s->folder, s->name, stage, s->emptied) < 0)
        return errno == ENOENT ? 1 : -1;
    hollow = disk_is_hollow(stage, s->emptied);
    if (hollow > 0)
        return 0;
    /* A file came into it meanwhile, or it cannot be read. */
    int number = errno;
    (void)!io_move_new(stage, s->emptied, s->folder, s->name);
    errno = number;
    return hollow < 0 ? -1 : 1;
}

static int place(enum swap_result *result, const struct step *s)
{
    int stage = s->swap->stage;
    if (io_move_new(stage, s->file, s->folder, s->name) < 0) {
        if (errno != EEXIST && errno != EISDIR && errno != ENOTEMPTY)
            return fail(s, "write");
        int rc = put_folder_away(s);
        if (rc != 0) /* 1: something is in the folder */
            return rc < 0 ? fail(s, "make room for") : 0;
        if (io_move_new(stage, s->file, s->folder, s->name) < 0)
            return errno == EEXIST ? 0 : fail(s, "write");
    }
    *result = SWAP_DONE;
    return 0;
}

/* Brings back the folder that the file replaced. */
static void bring_folder_back(const struct step *s)
{
    (void)!io_move_new(s->swap->stage, s->emptied, s->folder, s->name);
}

static int take_away(enum swap_result *result, const struct step *s, size_t number)
{
    struct disk_entry out;
    int stage = s->swap->stage;
    if (io_move_new(s->folder, s->name, stage, s->file) < 0)
        return errno == ENOENT ? 0 : fail(s, "remove");
    int rc = swap_staged(&out, s->swap, number, s->err);
    if (rc == 0 && swap_same(s->swap, &out, s->source)) {
        *result = SWAP_DONE;
        bring_folder_back(s);
    } else if (io_move_new(stage, s->file, s->folder, s->name) < 0) {
        rc = fail(s, "put back");
    }
    return rc;
}

static int perform(enum swap_result *result, const struct step *s, size_t number)
{
    if (s->source->kind == DISK_ABSENT)
        return place(result, s);
    return s->target->kind == DISK_ABSENT ? take_away(result, s, number)
                                          : replace(result, s, number);
}

/* A folder counts as absent: place() finds out whether it makes room. */
static bool counts_as(const struct swap *swap, const struct disk_entry *found,
                      const struct disk_entry *wanted)
{
    if (wanted->kind == DISK_ABSENT)
        return found->kind == DISK_ABSENT || found->kind == DISK_FOLDER ||
               found->kind == DISK_BLOCKED;
    return swap_same(swap, found, wanted);
}

/* The file is gone already; the folder that it replaced may still be in the stage. */
static int restore_folder(struct step *s)
{
    int rc = disk_parent(&s->folder, &s->name, s->swap->top, s->change->path, DISK_FIND, s->err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    bring_folder_back(s);
    (void)close(s->folder);
    return 0;
}

int swap_bring(enum swap_result *result, const struct swap *swap, size_t number,
               const struct path_change *change, const struct disk_entry *source,
               const struct disk_entry *target, struct err *err)
{
    struct step s = {
        .swap = swap, .change = change, .source = source, .target = target, .err = err};
    struct disk_entry found;
    *result = SWAP_FOREIGN;
    name_files(&s, number);
    if (disk_look(&found, NULL, NULL, swap->top, change->path, err) < 0)
        return -1;
    if (counts_as(swap, &found, target)) {
        *result = SWAP_DONE;
        return target->kind == DISK_ABSENT && found.kind == DISK_ABSENT ? restore_folder(&s) : 0;
    }
    if (!counts_as(swap, &found, source))
        return 0;
    if (ready(&s, number) < 0)
        return -1;
    int rc = disk_parent(&s.folder, &s.name, swap->top, change->path,
                         source->kind == DISK_ABSENT ? DISK_MAKE : DISK_FIND, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = perform(result, &s, number);
    (void)close(s.folder);
    return rc;
}

int swap_discard(const char **kept, const struct swap *swap, size_t number,
                 const struct path_change *change, struct err *err)
{
    struct step s = {.swap = swap, .change = change, .err = err};
    name_files(&s, number);
    return discard_file(kept, &s, s.file);
}

/*
 * Calls `act` for each file of the stage whose name ends in `ending`, until it returns false.
 * Returns false where it did, or where the stage cannot be read.
 */
static bool each_ending(const struct swap *swap, const char *ending,
                        bool (*act)(int stage, const char *name))
{
    IO_DIR_SCRATCH(dir) = io_open_dir(swap->stage, ".");
    struct dirent *entry;
    while (dir && (entry = io_next(dir))) {
        const char *dot = strchr(entry->d_name, '.');
        if (dot && strcmp(dot, ending) == 0 && !act(swap->stage, entry->d_name))
            return false;
    }
    return dir && !errno;
}

static bool stop(int stage, const char *name)
{
    (void)stage, (void)name;
    return false;
}

bool swap_was_cut(const struct swap *swap)
{
    return !each_ending(swap, OTHER, stop);
}

/* Treats the exchange as done: the stage has the content that lay at the path. */
static int take_as_done(struct step *s)
{
    if (renameat(s->swap->stage, s->other, s->swap->stage, s->file) < 0)
        return fail(s, "tidy up after");
    return 0;
}

/* The path is empty: the content that lay there goes back, whatever it is. */
static int put_back(struct step *s)
{
    int rc = disk_parent(&s->folder, &s->name, s->swap->top, s->change->path, DISK_MAKE, s->err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = io_move_new(s->swap->stage, s->other, s->folder, s->name);
    if (rc < 0 && errno != EEXIST)
        rc = fail(s, "put back");
    (void)close(s->folder);
    return rc < 0 && errno == EEXIST ? 0 : rc;
}

int swap_mend(const char **kept, const struct swap *swap, size_t number,
              const struct path_change *change, struct err *err)
{
    struct step s = {.swap = swap, .change = change, .err = err};
    struct disk_entry there, staged, other;
    *kept = NULL;
    name_files(&s, number);
    if (disk_look(&other, NULL, NULL, swap->stage, s.other, err) < 0 ||
        swap_staged(&staged, swap, number, err) < 0 ||
        disk_look(&there, NULL, NULL, swap->top, change->path, err) < 0)
        return -1;
    if (other.kind != DISK_FILE)
        return 0;
    if (staged.kind == DISK_ABSENT)
        return take_as_done(&s);
    if (there.kind == DISK_ABSENT)
        return put_back(&s);
    if (disk_equal(&there, &staged)) {
        if (unlinkat(swap->stage, s.file, 0) < 0)
            return fail(&s, "tidy up after");
        return take_as_done(&s);
    }
    if (!disk_equal(&there, &other))
        return discard_file(kept, &s, s.other);
    return unlinkat(swap->stage, s.other, 0) < 0 ? fail(&s, "tidy up after") : 0;
}

static bool remove_emptied(int stage, const char *name)
{
    (void)disk_remove_empty(stage, name);
    return true;
}

void swap_discard_folders(const struct swap *swap)
{
    (void)each_ending(swap, EMPTIED, remove_emptied);
}

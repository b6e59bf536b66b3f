/* Git's index: compares it with HEAD, and writes it after an update. */
#include "git/git_index.h"

#include "base/arena.h"
#include "git/disk_entry.h"
#include "git/libgit2.h"
#include "git/path_change.h"
#include "git/repo_form.h"
#include "git/tree.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHECKSUM_SIZE = 20, COPY_PIECE = 1 << 30 };

struct index {
    git_index *git;
    struct timespec written;         /* the file's modification time */
    const git_index_entry **entries; /* sorted bytewise, whatever core.ignoreCase says */
    size_t count;
};

static int by_path_and_stage(const void *a, const void *b)
{
    const git_index_entry *const *left = a, *const *right = b;
    int order = strcmp((*left)->path, (*right)->path);
    return order ? order : git_index_entry_stage(*left) - git_index_entry_stage(*right);
}

static void list_entries(struct index *index)
{
    bool sorted = true;
    index->count = git_index_entrycount(index->git);
    index->entries = xmalloc((index->count + 1) * sizeof(const git_index_entry *));
    for (size_t i = 0; i < index->count; i++) {
        index->entries[i] = git_index_get_byindex(index->git, i);
        if (i && by_path_and_stage(&index->entries[i - 1], &index->entries[i]) > 0)
            sorted = false;
    }
    if (!sorted)
        qsort(index->entries, index->count, sizeof(*index->entries), by_path_and_stage);
}

#define READ_ATTEMPTS 16

/* The file's stat data, or zeros if it is missing. */
static struct stat state_of(const char *path)
{
    struct stat info;
    if (stat(path, &info) < 0)
        info = (struct stat){0};
    return info;
}

static bool same_state(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* libgit2 takes an index that it cannot stat for an empty one. */
static int open_index(git_index **out, const char *path, struct err *err)
{
    struct stat info;
    if (git_index_open(out, path) < 0)
        return repo_form_explain_index(err);
    if (!git_oid_is_zero(git_index_checksum(*out)))
        return 0;
    if (stat(path, &info) < 0 ? errno == ENOENT : info.st_size == 0)
        return 0;
    git_index_free(*out);
    *out = NULL;
    return err_set(err, TG_RUNTIME, "io", "cannot read the index '%s'", path);
}

/* libgit2 fails if git replaces the index between its stat and its read: tries again. */
static int read_unchanging(struct index *index, const char *path, struct err *err)
{
    for (int attempt = 1;; attempt++) {
        struct stat before = state_of(path);
        int rc = open_index(&index->git, path, err);
        struct stat after = state_of(path);
        index->written = after.st_mtim;
        if (same_state(&before, &after) || attempt == READ_ATTEMPTS)
            return rc;
        git_index_free(index->git);
        index->git = NULL;
        err_release(err);
    }
}

int index_open(struct index **out, const char *path, struct err *err)
{
    struct index *index = xmalloc(sizeof(*index));
    *index = (struct index){0};
    *out = NULL;
    if (read_unchanging(index, path, err) < 0) {
        free(index);
        return -1;
    }
    list_entries(index);
    *out = index;
    return 0;
}

void index_free(struct index *index)
{
    if (!index)
        return;
    git_index_free(index->git);
    free(index->entries);
    free(index);
}

int index_renew(struct index **index, const char *path, struct err *err)
{
    char now[41], then[41];
    if (*index) {
        const git_oid *sum = git_index_checksum((*index)->git);
        if (index_checksum(now, path, err) < 0)
            return -1;
        if (!git_oid_is_zero(sum) && strcmp(git_oid_tostr(then, sizeof(then), sum), now) == 0)
            return 0;
        index_free(*index);
        *index = NULL;
    }
    return index_open(index, path, err);
}

size_t index_count(const struct index *index)
{
    return index->count;
}

void index_item(struct index_item *out, const struct index *index, size_t at)
{
    const git_index_entry *entry = index->entries[at];
    *out = (struct index_item){
        .path = entry->path,
        .leaf = {entry->mode, oid_from(&entry->id)},
        .stage = git_index_entry_stage(entry),
        .sparse = entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE,
        .assumed = entry->flags & GIT_INDEX_ENTRY_VALID,
        .intent_to_add = entry->flags_extended & GIT_INDEX_ENTRY_INTENT_TO_ADD,
    };
}

static size_t lower_bound(const struct index *index, const char *path)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->entries[middle]->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool index_find(struct index_item *out, const struct index *index, const char *path)
{
    size_t at = lower_bound(index, path);
    bool found = at < index->count && strcmp(index->entries[at]->path, path) == 0;
    *out = (struct index_item){.path = NULL};
    if (found)
        index_item(out, index, at);
    return found;
}

bool index_has(const struct index *index, const struct path_change *change)
{
    struct index_item item;
    (void)index_find(&item, index, change->path);
    return tree_entry_equal(&item.leaf, &change->stages[item.stage]);
}

static bool not_older(const git_index_time *time, const struct timespec *than)
{
    if (time->seconds != (int32_t)than->tv_sec)
        return time->seconds > (int32_t)than->tv_sec;
    return time->nanoseconds >= (uint32_t)than->tv_nsec;
}

static bool same_time(const git_index_time *time, const struct timespec *other)
{
    return time->seconds == (int32_t)other->tv_sec && time->nanoseconds == (uint32_t)other->tv_nsec;
}

bool index_is_current(const struct index *index, const char *path, const struct stat *info)
{
    size_t at = lower_bound(index, path);
    if (at == index->count || strcmp(index->entries[at]->path, path) != 0)
        return false;
    const git_index_entry *entry = index->entries[at];
    return git_index_entry_stage(entry) == 0 && S_ISREG(info->st_mode) &&
           entry->file_size == (uint32_t)info->st_size && entry->ino == (uint32_t)info->st_ino &&
           same_time(&entry->mtime, &info->st_mtim) && same_time(&entry->ctime, &info->st_ctim) &&
           !not_older(&entry->mtime, &index->written);
}

struct words index_differences(struct arena *arena, const struct index *index,
                               const struct tree_files *tree)
{
    struct words paths = {0};
    const char *last = "";
    for (size_t i = 0, j = 0; i < index->count || j < tree->count;) {
        struct index_item item = {.path = NULL};
        const struct tree_file *file = j < tree->count ? &tree->files[j] : NULL;
        if (i < index->count)
            index_item(&item, index, i);
        int order = !item.path ? 1 : !file ? -1 : strcmp(item.path, file->path);
        bool same = order == 0 && file && !item.stage && !item.intent_to_add &&
                    tree_entry_equal(&item.leaf, &file->leaf);
        const char *path = order <= 0 || !file ? item.path : file->path;
        if (!same && path && strcmp(path, last) != 0)
            words_add(&paths, arena, last = arena_strdup(arena, path));
        i += order <= 0;
        j += order >= 0;
    }
    return paths;
}

int index_checksum(char out[41], const char *path, struct err *err)
{
    struct oid sum;
    struct stat info;
    out[0] = '\0';
    IO_FD_SCRATCH(fd) = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    int rc = fd < 0 ? -1 : fstat(fd, &info);
    if (rc == 0 && info.st_size >= CHECKSUM_SIZE) {
        rc = pread(fd, sum.id, CHECKSUM_SIZE, info.st_size - CHECKSUM_SIZE) == CHECKSUM_SIZE ? 0
                                                                                             : -1;
        for (size_t i = 0; rc == 0 && i < CHECKSUM_SIZE; i++)
            (void)snprintf(out + 2 * i, 3, "%02x", sum.id[i]);
    }
    return rc < 0 ? err_errno(err, errno, "io", "cannot read the index") : 0;
}

static int copy_bytes(int to, int from)
{
    ssize_t sent;
    while ((sent = sendfile(to, from, NULL, COPY_PIECE)) > 0 || (sent < 0 && errno == EINTR))
        ;
    return (int)sent;
}

/* The index as it is read, and the copy that becomes the new one. */
struct copy {
    struct stat from, to;
    bool times_count; /* the copy's times can be set, as finish_file needs */
};

static bool can_set_times(int fd, const struct stat *info)
{
    const struct timespec times[] = {info->st_mtim, info->st_mtim};
    return futimens(fd, times) == 0;
}

/* Without an index, only finds out the file system's time. */
static int begin_index(struct copy *copy, const char *to, struct err *err)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 || fstat(fd, &copy->to) < 0)
        return err_errno(err, errno, "io", "cannot write the new index");
    copy->times_count = can_set_times(fd, &copy->to);
    copy->from = copy->to;
    (void)close(fd);
    return unlink(to) < 0 ? err_errno(err, errno, "io", "cannot write the new index") : 0;
}

static int copy_index(struct copy *copy, const char *to, const char *from, struct err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0 && errno == ENOENT)
        return begin_index(copy, to, err);
    if (in < 0)
        return err_errno(err, errno, "io", "cannot read the index");
    int rc = fstat(in, &copy->from);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (rc == 0)
        rc = out < 0 ? -1 : copy_bytes(out, in);
    if (rc == 0)
        rc = fstat(out, &copy->to);
    copy->times_count = rc == 0 && can_set_times(out, &copy->to);
    int number = errno;
    if (out >= 0 && close(out) < 0 && rc == 0) {
        rc = -1;
        number = errno;
    }
    (void)close(in);
    return rc < 0 ? err_errno(err, number, "io", "cannot write the new index") : 0;
}

static void set_stat(git_index_entry *entry, const struct stat *info)
{
    entry->ctime = (git_index_time){(int32_t)info->st_ctim.tv_sec, (uint32_t)info->st_ctim.tv_nsec};
    entry->mtime = (git_index_time){(int32_t)info->st_mtim.tv_sec, (uint32_t)info->st_mtim.tv_nsec};
    entry->dev = (uint32_t)info->st_dev;
    entry->ino = (uint32_t)info->st_ino;
    entry->uid = info->st_uid;
    entry->gid = info->st_gid;
    entry->file_size = (uint32_t)info->st_size;
}

void index_fill_stat(git_index_entry *entry, int top, const char *path, const struct oid *raw)
{
    ERR_SCRATCH(ignored);
    struct stat info;
    struct disk_entry found;
    bool known = raw ? disk_look(&found, &info, NULL, top, path, &ignored) == 0 &&
                           found.kind == DISK_FILE && oid_equal(&found.raw, raw)
                     : fstatat(top, path, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
    if (known)
        set_stat(entry, &info);
}

static git_index_entry make_entry(const struct path_change *change, int stage)
{
    git_index_entry entry = {.path = change->path, .mode = change->stages[stage].mode};
    memcpy(entry.id.id, change->stages[stage].id.id, sizeof(entry.id.id));
    if (change->skipped && stage == 0)
        entry.flags_extended = GIT_INDEX_ENTRY_SKIP_WORKTREE;
    if (change->assumed && stage == 0)
        entry.flags = GIT_INDEX_ENTRY_VALID;
    return entry;
}

static int add_plain(git_index *index, int top, const struct path_change *change, struct err *err)
{
    git_index_entry entry = make_entry(change, 0);
    if (top >= 0 && change->new.kind == DISK_FILE)
        index_fill_stat(&entry, top, change->path, &change->new.raw);
    if (git_index_add(index, &entry) < 0)
        return git_fail(err, "cannot put '%s' into the index", change->path);
    return 0;
}

static int add_conflict(git_index *index, const struct path_change *change, struct err *err)
{
    git_index_entry entries[STAGES];
    const git_index_entry *given[STAGES] = {NULL};
    for (int stage = 1; stage < STAGES; stage++) {
        entries[stage] = make_entry(change, stage);
        if (entries[stage].mode)
            given[stage] = &entries[stage];
    }
    if (git_index_conflict_add(index, given[1], given[2], given[3]) < 0)
        return git_fail(err, "cannot put '%s' into the index", change->path);
    return 0;
}

static int remove_all(git_index *index, const struct path_change *change, struct err *err)
{
    for (int stage = 0; stage < STAGES; stage++)
        if (git_index_get_bypath(index, change->path, stage) &&
            git_index_remove(index, change->path, stage) < 0)
            return git_fail(err, "cannot take '%s' out of the index", change->path);
    return 0;
}

/* Removals come first: a folder may replace a file, or a file a folder. */
static int apply_changes(git_index *index, int top, const struct path_change *changes, size_t count,
                         struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (remove_all(index, &changes[i], err) < 0)
            return -1;
    for (size_t i = 0; i < count; i++) {
        const struct path_change *change = &changes[i];
        int rc = 0;
        if (path_change_conflicts(change))
            rc = add_conflict(index, change, err);
        else if (change->stages[0].mode != LEAF_ABSENT)
            rc = add_plain(index, top, change, err);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/*
 * A file that was changed in the same clock tick in which the old index was written has unchanged
 * times; git suspects it because the index is not newer. The new index is newer: so this clears the
 * size of such entries, and git reads the files.
 */
static int distrust_racy(git_index *index, const struct timespec *written, struct err *err)
{
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *entry = git_index_get_byindex(index, i);
        if (!entry->file_size || git_index_entry_stage(entry) || !not_older(&entry->mtime, written))
            continue;
        git_index_entry copy = *entry;
        copy.file_size = 0;
        if (git_index_add(index, &copy) < 0)
            return git_fail(err, "cannot change the index");
    }
    return 0;
}

/*
 * Gives the new index the time of the copy that it began as. A file saved after this run looked at
 * it, even in the same second and with the same size, is then not older than the index, and git
 * does not trust its stat data. Where times cannot be set, no stat data were filled in.
 */
static int finish_file(const char *path, const struct copy *copy, mode_t mode, struct err *err)
{
    const struct timespec times[] = {copy->to.st_mtim, copy->to.st_mtim};
    IO_FD_SCRATCH(fd) = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (fchmod(fd, mode) < 0 && errno != EPERM && !io_is_unsupported(errno)) ||
        (copy->times_count && futimens(fd, times) < 0) || io_fsync(fd) < 0)
        return err_errno(err, errno, "io", "cannot make the new index durable");
    return 0;
}

int index_write(const char *to, const char *from, mode_t mode, int top,
                const struct path_change *changes, size_t count, struct err *err)
{
    git_index *index = NULL;
    struct copy copy;
    if (copy_index(&copy, to, from, err) < 0 || open_index(&index, to, err) < 0)
        return -1;
    int rc = distrust_racy(index, &copy.from.st_mtim, err);
    if (rc == 0)
        rc = apply_changes(index, copy.times_count ? top : -1, changes, count, err);
    if (rc == 0 && git_index_write(index) < 0)
        rc = git_fail(err, "cannot write the new index");
    git_index_free(index);
    return rc == 0 ? finish_file(to, &copy, mode ? mode : copy.from.st_mode & 0777, err) : rc;
}

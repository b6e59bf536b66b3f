/* The work tree during an update: files are exchanged, and no file of the user is overwritten. */

#include "apply/journal.h"
#include "apply/steps/steps.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "base/str.h"
#include "git/repo.h"
#include "git/tree.h"
#include "git/worktree.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRASH_MAX = 100000 };

static void keep(struct words *kept, struct arena *arena, const char *path)
{
    if (path && !words_have(kept, path))
        words_add(kept, arena, path);
}

/* ---------------------------------------------------------------- exchanging */

/* The direction in which files go, and the changes that it concerns. */
struct direction {
    bool forward;
    bool strict;         /* a file that is neither old nor new ends the run */
    const bool *settled; /* changes to leave alone; or NULL */
};

/* The user may edit paths in conflict, also where the update left the content alone. */
static bool concerns(const struct path_change *change, bool backward)
{
    return path_change_on_disk(change) ||
           (backward && path_change_conflicts(change) && change->old.kind == DISK_FILE);
}

static int bring(struct words *kept, const struct swap *swap, size_t number,
                 const struct path_change *change, const struct direction *way, struct err *err)
{
    static const struct disk_entry absent = {.kind = DISK_ABSENT};
    const struct disk_entry *source = way->forward ? &change->old : &change->new;
    const struct disk_entry *target = way->forward ? &change->new : &change->old;
    enum swap_result result;
    if (swap_bring(&result, swap, number, change, source, target, err) < 0)
        return -1;
    /* Undoing brings back a file that the user deleted. */
    if (result == SWAP_FOREIGN && !way->forward && source->kind != DISK_ABSENT &&
        swap_bring(&result, swap, number, change, &absent, target, err) < 0)
        return -1;
    if (result == SWAP_FOREIGN && way->strict)
        return apply_moved(err, arena_printf(swap->arena, "'%s'", change->path));
    if (result == SWAP_FOREIGN)
        keep(kept, swap->arena, change->path);
    return 0;
}

static int mend(struct words *kept, const struct swap *swap, const struct journal_files *files,
                struct err *err)
{
    if (!swap_was_cut(swap))
        return 0;
    for (size_t i = 0; i < files->count; i++) {
        const char *path;
        if (swap_mend(&path, swap, i, &files->changes[i], err) < 0)
            return -1;
        keep(kept, swap->arena, path);
    }
    return 0;
}

/* Deletes files before it brings others: a folder may take the place of a file. */
static int bring_in_order(struct words *kept, const struct swap *swap,
                          const struct journal_files *files, const struct direction *way,
                          struct err *err)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < files->count; i++) {
            const struct path_change *change = &files->changes[i];
            const struct disk_entry *target = way->forward ? &change->new : &change->old;
            if (!(way->settled && way->settled[i]) && concerns(change, !way->forward) &&
                (target->kind == DISK_ABSENT) == (pass == 0) &&
                bring(kept, swap, i, change, way, err) < 0)
                return -1;
        }
    return 0;
}

/* New folders of the work tree get the user's umask, not that of git's folder. */
static int bring_all(struct words *kept, const struct repo *repo, const struct swap *swap,
                     const struct journal_files *files, const struct direction *way,
                     struct err *err)
{
    if (mend(kept, swap, files, err) < 0)
        return -1;
    mode_t mask = umask(repo->mask);
    int rc = bring_in_order(kept, swap, files, way, err);
    (void)umask(mask);
    return rc;
}

/* An editor may have written into a file that it had open when the file was swapped out. */
static int check_swapped_out(const struct swap *swap, const struct journal_files *files,
                             struct err *err)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        struct disk_entry out;
        if (!path_change_on_disk(change) || change->old.kind != DISK_FILE)
            continue;
        if (swap_staged(&out, swap, i, err) < 0)
            return -1;
        if (!swap_same(swap, &out, &change->old))
            return apply_moved(err, arena_printf(swap->arena, "'%s'", change->path));
    }
    return 0;
}

/* The folders that the run changed. */
struct touched {
    struct arena *arena;
    int top;
    struct io_place *places;
    size_t count;
    struct span last;
};

/* Adds the folder of `path`, unless it was added last, or is gone. */
static int touch(struct touched *t, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/'), *name;
    struct span folder = span_of(path, slash ? (size_t)(slash - path) : 0);
    if (t->last.ptr && span_equal(t->last, folder))
        return 0;
    t->last = folder;
    IO_FD_SCRATCH(fd) = -1;
    int rc = disk_parent(&fd, &name, t->top, path, DISK_FIND, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    t->places[t->count++] =
        (struct io_place){t->top, slash ? arena_memdup(t->arena, path, folder.len) : "."};
    return 0;
}

static int sync_folders(const struct repo *repo, int stage, const struct journal_files *files,
                        struct err *err)
{
    size_t most = files->count + files->made.count + 1;
    struct touched t = {.arena = repo->arena, .top = repo->top_fd};
    t.places = arena_array(repo->arena, most, sizeof(*t.places));
    for (size_t i = 0; i < files->count; i++)
        if (path_change_on_disk(&files->changes[i]) && touch(&t, files->changes[i].path, err) < 0)
            return -1;
    for (size_t i = 0; i < files->made.count; i++)
        if (touch(&t, files->made.items[i], err) < 0)
            return -1;
    t.places[t.count++] = (struct io_place){stage, "."};
    return io_sync(t.places, t.count, err);
}

int worktree_forward(struct words *kept, const struct repo *repo, const struct work *work,
                     const struct journal_files *files, bool strict, struct err *err)
{
    const struct direction way = {.forward = true, .strict = strict};
    if (bring_all(kept, repo, &work->swap, files, &way, err) < 0 ||
        sync_folders(repo, work->stage, files, err) < 0)
        return -1;
    return strict ? check_swapped_out(&work->swap, files, err) : 0;
}

/* ---------------------------------------------------------------- going back */

/* Removes a folder where it is empty. */
static int remove_folder(int top, const char *path)
{
    ERR_SCRATCH(ignored);
    const char *name;
    IO_FD_SCRATCH(parent) = -1;
    return disk_parent(&parent, &name, top, path, DISK_FIND, &ignored) == 0
               ? unlinkat(parent, name, AT_REMOVEDIR)
               : -1;
}

/* An update never touches links: a link that the user replaced stays, and is reported. */
static int keep_links(struct words *kept, const struct repo *repo,
                      const struct journal_files *files, struct err *err)
{
    struct worktree_attributes *now = worktree_attributes_now(repo);
    for (size_t i = 0; i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        const struct tree_entry *link = &change->stages[STAGE_OURS];
        struct tree_entry found;
        if (link->mode != LEAF_LINK)
            continue;
        if (worktree_leaf(&found, NULL, now, change->path, link, err) < 0)
            return -1;
        if (!tree_entry_equal(&found, link))
            keep(kept, repo->arena, change->path);
    }
    return 0;
}

int worktree_backward(struct words *kept, const struct repo *repo, const struct work *work,
                      const struct journal_files *files, const bool *settled, struct err *err)
{
    const struct direction way = {.settled = settled};
    if (bring_all(kept, repo, &work->swap, files, &way, err) < 0 ||
        sync_folders(repo, work->stage, files, err) < 0)
        return -1;
    for (size_t i = files->made.count; i-- > 0;)
        (void)remove_folder(repo->top_fd, files->made.items[i]);
    return keep_links(kept, repo, files, err);
}

/* ---------------------------------------------------------------- the user's files */

/* A file of the user that has to make room. */
struct user_file {
    int folder; /* the file's folder */
    const char *name, *path;
    const struct disk_entry *committed; /* its content where a commit has it; else NULL */
};

static int find_committed(bool *out, const struct repo *repo, const struct oid *known,
                          const char *path, const struct disk_entry *found, struct err *err)
{
    struct tree_entry entry;
    *out = false;
    if (oid_is_zero(known))
        return 0;
    if (tree_find(&entry, repo->store, known, path, err) < 0)
        return -1;
    *out = tree_entry_is_file(&entry) && oid_equal(&entry.id, &found->raw);
    return 0;
}

/*
 * Deletes a moved file where a commit has its content. Only at the new place is the content
 * certain: no editor opens it there any more.
 */
static bool discard(int folder, const char *place, const struct disk_entry *committed)
{
    ERR_SCRATCH(ignored);
    struct disk_entry found;
    return committed && disk_look(&found, NULL, NULL, folder, place, &ignored) == 0 &&
           oid_equal(&found.raw, &committed->raw) && unlinkat(folder, place, 0) == 0;
}

/* Where there can be no trash folder, or it would be on another file system. */
static int put_beside(struct words *kept, struct arena *arena, const struct user_file *file)
{
    int rc = -1;
    errno = EEXIST;
    for (int i = 1; i < TRASH_MAX && rc < 0 && errno == EEXIST; i++) {
        const char *place = arena_printf(arena, "%s" SWAP_KEPT "%d", file->name, i);
        rc = io_move_new(file->folder, file->name, file->folder, place);
        if (rc == 0 && !discard(file->folder, place, file->committed))
            keep(kept, arena, arena_printf(arena, "%s" SWAP_KEPT "%d", file->path, i));
    }
    return rc;
}

static int put_into_trash(struct words *kept, const struct apply *a, const struct user_file *file)
{
    struct arena *arena = a->repo->arena;
    int rc = -1;
    (void)mkdirat(a->folder, TRASH, 0777);
    IO_FD_SCRATCH(trash) =
        openat(a->folder, TRASH, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (trash < 0) /* no space for it, or something else has the name */
        return put_beside(kept, arena, file);
    errno = EEXIST;
    for (int i = 1; i < TRASH_MAX && rc < 0 && errno == EEXIST; i++) {
        const char *place = arena_printf(arena, "%d-%s", i, file->name);
        rc = io_move_new(file->folder, file->name, trash, place);
        if (rc == 0 && !discard(trash, place, file->committed))
            keep(kept, arena,
                 arena_printf(arena, "%s (now %s" TRASH "/%s)", file->path, a->path, place));
    }
    return rc < 0 && errno == EXDEV ? put_beside(kept, arena, file) : rc;
}

static int put_one_aside(struct words *kept, const struct apply *a, const struct oid *known,
                         const char *path, const struct disk_entry *found, struct err *err)
{
    struct user_file file = {.path = path};
    bool committed;
    if (find_committed(&committed, a->repo, known, path, found, err) < 0)
        return -1;
    file.committed = committed ? found : NULL;
    int rc = disk_parent(&file.folder, &file.name, a->repo->top_fd, path, DISK_FIND, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = put_into_trash(kept, a, &file);
    if (rc < 0)
        (void)err_errno(err, errno, "io", "cannot put your '%s' aside", path);
    (void)close(file.folder);
    return rc;
}

int worktree_put_aside(struct words *kept, const struct apply *a, const struct work *work,
                       const struct journal_files *files, const struct oid *known, struct err *err)
{
    const struct swap *swap = &work->swap;
    for (size_t i = 0; i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        struct disk_entry found;
        if (!concerns(change, true))
            continue;
        if (disk_look(&found, NULL, NULL, a->repo->top_fd, change->path, err) < 0)
            return -1;
        if (found.kind == DISK_FILE && !swap_same(swap, &found, &change->old) &&
            !swap_same(swap, &found, &change->new) &&
            put_one_aside(kept, a, known, change->path, &found, err) < 0)
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- tidying up */

int worktree_discard(struct words *kept, const struct work *work, const struct journal_files *files,
                     struct err *err)
{
    const struct swap *swap = &work->swap;
    if (mend(kept, swap, files, err) < 0)
        return -1;
    swap_discard_folders(swap);
    for (size_t i = 0; i < files->count; i++) {
        const char *path;
        if (swap_discard(&path, swap, i, &files->changes[i], err) < 0)
            return -1;
        keep(kept, swap->arena, path);
    }
    return 0;
}

void worktree_remove_emptied(const struct repo *repo, const struct journal_files *files)
{
    for (size_t i = files->count; i-- > 0;) {
        if (!path_change_on_disk(&files->changes[i]) || files->changes[i].new.kind != DISK_ABSENT)
            continue;
        char *folder = arena_strdup(repo->arena, files->changes[i].path);
        for (char *slash; (slash = strrchr(folder, '/'));) {
            *slash = '\0';
            if (remove_folder(repo->top_fd, folder) < 0)
                break;
        }
    }
}

/* The work tree during an update: every file is exchanged, nothing of the user's is overwritten. */
#include "apply/steps/worktree_swap.h"

#include "apply/journal.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/repo.h"
#include "git/tree.h"
#include "git/worktree.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRASH_MAX = 100000 };

/* In a conflict the user may work on at paths whose content the update left alone, too. */
static bool concerns(const struct path_change *change, bool backward)
{
    return path_change_on_disk(change) ||
           (backward && path_change_conflicts(change) && change->old.kind == DISK_FILE);
}

static int bring(struct apply *a, size_t number, const struct path_change *change, bool forward,
                 bool strict, struct err *err)
{
    static const struct disk_entry absent = {.kind = DISK_ABSENT};
    const struct disk_entry *source = forward ? &change->old : &change->new;
    const struct disk_entry *target = forward ? &change->new : &change->old;
    enum swap_result result;
    if (swap_bring(&result, &a->swap, number, change, source, target, err) < 0)
        return -1;
    /* Going back, a file that is gone altogether comes back. */
    if (result == SWAP_FOREIGN && !forward && source->kind != DISK_ABSENT &&
        swap_bring(&result, &a->swap, number, change, &absent, target, err) < 0)
        return -1;
    if (result == SWAP_FOREIGN && strict)
        return apply_moved(err, arena_printf(a->arena, "'%s'", change->path));
    if (result == SWAP_FOREIGN)
        apply_keep(a, change->path);
    return 0;
}

static int mend(struct apply *a, const struct journal *j, struct err *err)
{
    if (!swap_was_cut(&a->swap))
        return 0;
    for (size_t i = 0; i < j->change_count; i++) {
        const char *kept;
        if (swap_mend(&kept, &a->swap, i, &j->changes[i], err) < 0)
            return -1;
        if (kept)
            apply_keep(a, kept);
    }
    return 0;
}

/* What goes, goes before what comes: a folder may take the place of a file. */
static int bring_in_order(struct apply *a, const struct journal *j, bool forward, bool strict,
                          const bool *settled, struct err *err)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < j->change_count; i++) {
            const struct path_change *change = &j->changes[i];
            const struct disk_entry *target = forward ? &change->new : &change->old;
            if (!(settled && settled[i]) && concerns(change, !forward) &&
                (target->kind == DISK_ABSENT) == (pass == 0) &&
                bring(a, i, change, forward, strict, err) < 0)
                return -1;
        }
    return 0;
}

/* Folders of the work tree are made with the user's umask, whatever git's folder is made with. */
static int bring_all(struct apply *a, const struct journal *j, bool forward, bool strict,
                     const bool *settled, struct err *err)
{
    if (mend(a, j, err) < 0)
        return -1;
    (void)umask(a->repo->mask);
    int rc = bring_in_order(a, j, forward, strict, settled, err);
    (void)umask(a->mask);
    return rc;
}

/* Somebody may have written into a file that was open when it was swapped out. */
static int check_swapped_out(const struct apply *a, const struct journal *j, struct err *err)
{
    for (size_t i = 0; i < j->change_count; i++) {
        const struct path_change *change = &j->changes[i];
        struct disk_entry out;
        if (!path_change_on_disk(change) || change->old.kind != DISK_FILE)
            continue;
        if (swap_staged(&out, &a->swap, i, err) < 0)
            return -1;
        if (!swap_same(&a->swap, &out, &change->old))
            return apply_moved(err, arena_printf(a->arena, "'%s'", change->path));
    }
    return 0;
}

/* 1 where the folder of `path` is not there any more: it needs no sync. */
static int look_for_folder(const struct apply *a, const char *path, struct err *err)
{
    const char *name;
    int fd, rc = disk_parent(&fd, &name, a->repo->top_fd, path, DISK_FIND, err);
    if (rc == 0)
        (void)close(fd);
    return rc < 0 ? -1 : rc != 0;
}

/* The folders that the run put something into or took something out of, each once but the top. */
struct touched {
    const struct apply *apply;
    struct io_place *places;
    size_t count;
    struct span last;
};

static int touch(struct touched *t, const char *path, struct err *err)
{
    const struct apply *a = t->apply;
    const char *slash = strrchr(path, '/');
    struct span folder = span_of(path, slash ? (size_t)(slash - path) : 0);
    if (t->last.ptr && span_equal(t->last, folder))
        return 0;
    t->last = folder;
    int rc = look_for_folder(a, path, err);
    if (rc == 0)
        t->places[t->count++] = (struct io_place){
            a->repo->top_fd, slash ? arena_memdup(a->arena, path, folder.len) : "."};
    return rc < 0 ? -1 : 0;
}

static int sync_folders(const struct apply *a, const struct journal *j, struct err *err)
{
    size_t most = j->change_count + j->made_count + 1;
    struct touched t = {a, arena_array(a->arena, most, sizeof(struct io_place)), 0, {NULL, 0}};
    for (size_t i = 0; i < j->change_count; i++)
        if (path_change_on_disk(&j->changes[i]) && touch(&t, j->changes[i].path, err) < 0)
            return -1;
    for (size_t i = 0; i < j->made_count; i++)
        if (touch(&t, j->made[i], err) < 0)
            return -1;
    t.places[t.count++] = (struct io_place){a->stage, "."};
    return io_sync(t.places, t.count, err);
}

int worktree_forward(struct apply *a, const struct journal *j, bool strict, struct err *err)
{
    if (bring_all(a, j, true, strict, NULL, err) < 0 || sync_folders(a, j, err) < 0)
        return -1;
    return strict ? check_swapped_out(a, j, err) : 0;
}

/* Removes a folder where it is empty. */
static int remove_folder(const struct apply *a, const char *path)
{
    ERR_SCRATCH(ignored);
    const char *name;
    int parent;
    if (disk_parent(&parent, &name, a->repo->top_fd, path, DISK_FIND, &ignored) != 0)
        return -1;
    int rc = unlinkat(parent, name, AT_REMOVEDIR);
    (void)close(parent);
    return rc;
}

/* An update never touches links: where the user made something else of one, it stays, and is told.
 */
static int tell_links(struct apply *a, const struct journal *j, struct err *err)
{
    struct worktree_attributes *now = worktree_attributes_now(a->repo);
    for (size_t i = 0; i < j->change_count; i++) {
        const struct path_change *change = &j->changes[i];
        const struct tree_entry *link = &change->stages[STAGE_OURS];
        struct tree_entry found;
        if (link->mode != LEAF_LINK)
            continue;
        if (worktree_leaf(&found, NULL, now, change->path, link, err) < 0)
            return -1;
        if (!tree_entry_equal(&found, link))
            apply_keep(a, change->path);
    }
    return 0;
}

int worktree_backward(struct apply *a, const struct journal *j, const bool *settled,
                      struct err *err)
{
    if (bring_all(a, j, false, false, settled, err) < 0 || sync_folders(a, j, err) < 0)
        return -1;
    for (size_t i = j->made_count; i-- > 0;)
        (void)remove_folder(a, j->made[i]);
    return tell_links(a, j, err);
}

/* In a tree that is committed: then it need not be put aside. */
static int is_committed(bool *out, const struct apply *a, const char *path,
                        const struct disk_entry *found, struct err *err)
{
    static const struct oid none;
    struct tree_entry leaf;
    *out = false;
    if (oid_equal(&a->known, &none))
        return 0;
    if (tree_find(&leaf, a->repo->store, &a->known, path, err) < 0)
        return -1;
    *out = tree_entry_is_file(&leaf) && oid_equal(&leaf.id, &found->raw);
    return 0;
}

/*
 * What was put aside nobody writes any more: only then its content is certain. `elsewhere` is what
 * it has to be, where a copy of it is not needed; or NULL.
 */
static bool discard(int folder, const char *place, const struct disk_entry *elsewhere)
{
    ERR_SCRATCH(ignored);
    struct disk_entry found;
    return elsewhere && disk_look(&found, NULL, NULL, folder, place, &ignored) == 0 &&
           oid_equal(&found.raw, &elsewhere->raw) && unlinkat(folder, place, 0) == 0;
}

/* Where there can be no trash folder, or it is on another file system. */
static int put_beside(struct apply *a, int folder, const char *name, const char *path,
                      const struct disk_entry *elsewhere)
{
    int rc = -1;
    errno = EEXIST;
    for (int i = 1; i < TRASH_MAX && rc < 0 && errno == EEXIST; i++) {
        const char *place = arena_printf(a->arena, "%s" SWAP_KEPT "%d", name, i);
        rc = io_move_new(folder, name, folder, place);
        if (rc == 0 && !discard(folder, place, elsewhere))
            apply_keep(a, arena_printf(a->arena, "%s" SWAP_KEPT "%d", path, i));
    }
    return rc;
}

static int put_into_trash(struct apply *a, int folder, const char *name, const char *path,
                          const struct disk_entry *elsewhere)
{
    int rc = -1;
    (void)mkdirat(a->folder, TRASH, 0777);
    int trash = openat(a->folder, TRASH, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (trash < 0) /* no space for it, or somebody's own */
        return put_beside(a, folder, name, path, elsewhere);
    errno = EEXIST;
    for (int i = 1; i < TRASH_MAX && rc < 0 && errno == EEXIST; i++) {
        const char *place = arena_printf(a->arena, "%d-%s", i, name);
        rc = io_move_new(folder, name, trash, place);
        if (rc == 0 && !discard(trash, place, elsewhere))
            apply_keep(a, arena_printf(a->arena, "%s (now %s" TRASH "/%s)", path, a->path, place));
    }
    int number = errno;
    (void)close(trash);
    if (rc < 0 && number == EXDEV)
        return put_beside(a, folder, name, path, elsewhere);
    errno = number;
    return rc;
}

static int throw_away(struct apply *a, const char *path, const struct disk_entry *found,
                      struct err *err)
{
    const char *name;
    bool elsewhere;
    int folder;
    if (is_committed(&elsewhere, a, path, found, err) < 0)
        return -1;
    int rc = disk_parent(&folder, &name, a->repo->top_fd, path, DISK_FIND, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = put_into_trash(a, folder, name, path, elsewhere ? found : NULL);
    if (rc < 0)
        (void)err_errno(err, errno, "io", "cannot put your '%s' aside", path);
    (void)close(folder);
    return rc;
}

int worktree_put_aside(struct apply *a, const struct journal *j, struct err *err)
{
    for (size_t i = 0; i < j->change_count; i++) {
        const struct path_change *change = &j->changes[i];
        struct disk_entry found;
        if (!concerns(change, true))
            continue;
        if (disk_look(&found, NULL, NULL, a->repo->top_fd, change->path, err) < 0)
            return -1;
        if (found.kind == DISK_FILE && !swap_same(&a->swap, &found, &change->old) &&
            !swap_same(&a->swap, &found, &change->new) &&
            throw_away(a, change->path, &found, err) < 0)
            return -1;
    }
    return 0;
}

int worktree_discard(struct apply *a, const struct journal *j, struct err *err)
{
    if (mend(a, j, err) < 0)
        return -1;
    swap_discard_folders(&a->swap);
    for (size_t i = 0; i < j->change_count; i++) {
        const char *kept;
        if (swap_discard(&kept, &a->swap, i, &j->changes[i], err) < 0)
            return -1;
        if (kept)
            apply_keep(a, kept);
    }
    return 0;
}

/* Folders that got empty vanish, as git does it. */
void worktree_remove_emptied(const struct apply *a, const struct journal *j)
{
    for (size_t i = j->change_count; i-- > 0;) {
        if (!path_change_on_disk(&j->changes[i]) || j->changes[i].new.kind != DISK_ABSENT)
            continue;
        char *folder = arena_strdup(a->arena, j->changes[i].path);
        for (char *slash; (slash = strrchr(folder, '/'));) {
            *slash = '\0';
            if (remove_folder(a, folder) < 0)
                break;
        }
    }
}

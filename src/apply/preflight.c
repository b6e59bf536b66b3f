/* May the update touch these files? What lies on disk, and what will. */
#include "apply/preflight.h"

#include "apply/journal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/shell.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/pathspec.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "git/worktree.h"
#include "io/io.h"
#include "plan/case_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTENT_MAX ((size_t)1 << 40)
enum { FOLDER_DEPTH = 256 };

struct checker {
    struct preflight *out;
    const struct repo *repo;
    struct arena *arena;
    const struct index *index;
    const struct plan_edit *edits;
    size_t count;
    struct worktree_attributes *now, *after;
    bool modes_count;
    const char **dirty, **in_the_way, **left_out; /* each at most once an edit */
    size_t dirty_count, in_the_way_count, left_out_count;
    struct err *err;
};

static const struct plan_edit *find_edit(const struct checker *c, const char *path)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(c->edits[middle].path, path);
        if (order == 0)
            return &c->edits[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool will_go(const struct checker *c, const char *path)
{
    const struct plan_edit *edit = find_edit(c, path);
    return edit && edit->disk.mode == LEAF_ABSENT && edit->old.mode != LEAF_ABSENT;
}

static void is_dirty(struct checker *c, const char *path)
{
    c->dirty[c->dirty_count++] = path;
}

static void blocks(struct checker *c, const char *path, const char *what)
{
    c->in_the_way[c->in_the_way_count++] = what ? arena_printf(c->arena, "'%s' (%s)", path, what)
                                                : arena_printf(c->arena, "'%s'", path);
}

/* The bytes on disk as they would be in an object. */
static int hash_as_object(struct oid *out, const struct checker *c, const char *path,
                          struct span disk, const struct tree_entry *known)
{
    BUF_SCRATCH(converted, CONTENT_MAX);
    STORE_BYTES_SCRATCH(in_head);
    enum convert_kind kind;
    if (worktree_convert(&kind, c->now, path, c->err) < 0)
        return -1;
    if (kind != CONVERT_NONE && known->mode != LEAF_ABSENT &&
        store_get(&in_head, c->repo->store, STORE_BLOB, &known->id, path, c->err) < 0)
        return -1;
    if (convert_to_object(&converted, kind, disk, in_head.bytes))
        disk = span_of(buf_text(&converted), converted.len);
    return store_hash(out, STORE_BLOB, disk, c->err);
}

/* What the file will be on disk; its bytes are put into the store. */
static int future_of(struct disk_entry *out, const struct checker *c, const char *path,
                     const struct tree_entry *leaf)
{
    BUF_SCRATCH(converted, CONTENT_MAX);
    STORE_BYTES_SCRATCH(object);
    enum convert_kind kind;
    *out = (struct disk_entry){.kind = DISK_FILE, .executable = leaf->mode == LEAF_EXECUTABLE};
    if (worktree_convert(&kind, c->after, path, c->err) < 0)
        return -1;
    out->raw = leaf->id;
    if (kind != CONVERT_TEXT_CRLF && kind != CONVERT_AUTO_CRLF)
        return 0;
    if (store_get(&object, c->repo->store, STORE_BLOB, &leaf->id, path, c->err) < 0)
        return -1;
    if (!convert_to_disk(&converted, kind, object.bytes))
        return 0;
    return store_put(&out->raw, c->repo->store, STORE_BLOB,
                     span_of(buf_text(&converted), converted.len), c->err);
}

static bool mode_agrees(const struct checker *c, const struct disk_entry *disk,
                        const struct tree_entry *leaf)
{
    return !c->modes_count || disk->executable == (leaf->mode == LEAF_EXECUTABLE);
}

/* A link or a submodule: nothing here can move it, so a plan that would is refused. */
static int check_other(struct checker *c, const struct plan_edit *edit)
{
    struct tree_entry leaf;
    if (!tree_entry_equal(&edit->disk, &edit->old))
        return err_set(c->err, TG_REFUSED, "not-a-file",
                       "the update would change '%s', which is a link or a submodule", edit->path);
    if (edit->old.mode != LEAF_LINK)
        return 0; /* of a submodule only the index says anything */
    if (worktree_leaf(&leaf, NULL, c->now, edit->path, &edit->old, c->err) < 0)
        return -1;
    if (!tree_entry_equal(&leaf, &edit->old))
        is_dirty(c, edit->path);
    return 0;
}

static void fill_stages(struct path_change *change, const struct plan_edit *edit)
{
    if (!edit->conflict) {
        change->stages[0] = edit->disk;
        return;
    }
    for (int side = BASE; side < SIDES; side++)
        change->stages[side + 1] = edit->stages[side];
}

static mode_t fresh_mode(const struct checker *c, const struct tree_entry *leaf)
{
    return (leaf->mode == LEAF_EXECUTABLE ? 0777 : 0666) & ~c->repo->mask;
}

static void keep_bits(const struct checker *c, struct path_change *change)
{
    struct index_item item;
    bool found;
    index_find(&item, &found, c->index, change->path);
    change->skipped = found && item.sparse;
    change->assumed = found && item.assumed;
}

static int check_tracked_file(struct checker *c, const struct plan_edit *edit,
                              struct path_change *change)
{
    BUF_SCRATCH(content, CONTENT_MAX);
    struct stat info;
    struct oid id;
    if (disk_look(&change->old, &info, &content, c->repo->top_fd, edit->path, c->err) < 0)
        return -1;
    keep_bits(c, change);
    if (path_change_is_sparse(change)) {
        if (edit->conflict)
            c->left_out[c->left_out_count++] = edit->path;
        return 0;
    }
    if (change->old.kind != DISK_FILE) {
        is_dirty(c, edit->path);
        return 0;
    }
    struct span bytes = span_of(buf_text(&content), content.len);
    if (hash_as_object(&id, c, edit->path, bytes, &edit->old) < 0)
        return -1;
    if (!oid_equal(&id, &edit->old.id) || !mode_agrees(c, &change->old, &edit->old)) {
        is_dirty(c, edit->path);
        return 0;
    }
    change->mode = info.st_mode & 0777;
    /* So that going back finds what a conflict's file was, whatever becomes of it. */
    return edit->conflict ? store_put(&id, c->repo->store, STORE_BLOB, bytes, c->err) : 0;
}

/* What the path becomes on disk, where it changes there. */
static int plan_new(struct checker *c, const struct plan_edit *edit, struct path_change *change)
{
    change->new = change->old;
    if (path_change_is_sparse(change) || tree_entry_equal(&edit->old, &edit->disk))
        return 0;
    change->new = (struct disk_entry){.kind = DISK_ABSENT};
    if (edit->disk.mode == LEAF_ABSENT)
        return 0;
    if (future_of(&change->new, c, edit->path, &edit->disk) < 0)
        return -1;
    if (!c->modes_count && change->old.kind == DISK_FILE)
        change->new.executable = edit->disk.mode == LEAF_EXECUTABLE;
    return 0;
}

static int check_tracked(struct checker *c, const struct plan_edit *edit,
                         struct path_change *change)
{
    if (!tree_entry_is_file(&edit->old))
        return check_other(c, edit);
    if (check_tracked_file(c, edit, change) < 0)
        return -1;
    return plan_new(c, edit, change);
}

static int check_folder(struct checker *c, int parent, const char *name, const char *path,
                        int depth);

static int check_inside(struct checker *c, int folder, const char *name, const char *path,
                        int depth)
{
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : err_errno(c->err, errno, "io", "cannot look at '%s'", path);
    if (S_ISDIR(info.st_mode) && strcmp(name, ".git") != 0)
        return check_folder(c, folder, name, path, depth + 1);
    if (will_go(c, path))
        return 0;
    return 1;
}

/* A folder where a file goes: 0 where nothing is in it but what goes, 1 where something is. */
static int check_folder(struct checker *c, int parent, const char *name, const char *path,
                        int depth)
{
    struct dirent *entry;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir || depth > FOLDER_DEPTH) {
        if (dir)
            (void)closedir(dir);
        return err_errno(c->err, errno, "io", "cannot read the folder '%s'", path);
    }
    int rc = 0;
    while (rc == 0 && (entry = io_next(dir)))
        rc = check_inside(c, fd, entry->d_name,
                          arena_printf(c->arena, "%s/%s", path, entry->d_name), depth);
    if (rc == 0 && errno)
        rc = err_errno(c->err, errno, "io", "cannot read the folder '%s'", path);
    (void)closedir(dir);
    return rc;
}

/* A part of the way is a file: well where that is to go. */
static bool way_will_clear(const struct checker *c, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (will_go(c, arena_memdup(c->arena, path, (size_t)(slash - path))))
            return true;
    return false;
}

static int check_way(struct checker *c, const struct plan_edit *edit,
                     const struct disk_entry *found)
{
    if (found->kind == DISK_BLOCKED && way_will_clear(c, edit->path))
        return 0;
    if (found->kind != DISK_FOLDER) {
        blocks(c, edit->path, disk_kind_name(found->kind));
        return 0;
    }
    const char *name;
    int parent;
    int rc = disk_parent(&parent, &name, c->repo->top_fd, edit->path, DISK_FIND, c->err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = check_folder(c, parent, name, edit->path, 0);
    (void)close(parent);
    if (rc > 0)
        blocks(c, edit->path, "a folder with files of yours");
    return rc < 0 ? -1 : 0;
}

/* A path that is new: nothing may lie there, unless it is just what would be written. */
static int check_new(struct checker *c, const struct plan_edit *edit, struct path_change *change)
{
    struct disk_entry found;
    change->mode = fresh_mode(c, &edit->disk);
    if (edit->disk.mode == LEAF_ABSENT)
        return 0;
    if (disk_look(&found, NULL, NULL, c->repo->top_fd, edit->path, c->err) < 0 ||
        future_of(&change->new, c, edit->path, &edit->disk) < 0)
        return -1;
    if (found.kind == DISK_ABSENT)
        return 0;
    if (found.kind == DISK_FILE && oid_equal(&found.raw, &change->new.raw) &&
        mode_agrees(c, &found, &edit->disk)) {
        change->old = change->new = found;
        c->out->adopted[c->out->adopted_count++] = edit->path;
        return 0;
    }
    if (found.kind == DISK_FILE) {
        blocks(c, edit->path, NULL);
        return 0;
    }
    return check_way(c, edit, &found);
}

/* On a disk that ignores case one of them would take the other's place, or remove it. */
static int check_case(const struct checker *c, const struct plan_edit *edits, size_t count)
{
    if (!disk_ignores_case(c->repo->top_fd))
        return 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; edits[i].old.mode == LEAF_ABSENT && j < count; j++) {
            if (edits[j].disk.mode != LEAF_ABSENT || !names_alike(edits[i].path, edits[j].path))
                continue;
            (void)err_set(c->err, TG_REFUSED, "file-system",
                          "the update would write '%s' and remove '%s', which are one name on this "
                          "disk",
                          edits[i].path, edits[j].path);
            return err_hint(c->err, "update a clone on a disk that tells upper from lower case");
        }
    return 0;
}

/* Another repository between the top and a file that comes or goes. */
static int check_nested(const struct checker *c, const struct plan_edit *edit)
{
    const char *path = edit->path;
    if (tree_entry_equal(&edit->old, &edit->disk))
        return 0;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *folder = arena_memdup(c->arena, path, (size_t)(slash - path));
        const char *git = arena_printf(c->arena, "%s/.git", folder);
        bool nested;
        if (disk_exists(&nested, c->repo->top_fd, git, c->err) < 0)
            return -1;
        if (!nested)
            continue;
        (void)err_set(c->err, TG_REFUSED, "nested-repository",
                      "the update would write '%s', but '%s' is a repository of its own", path,
                      folder);
        return err_hint(c->err, "move that repository away, or put the path under `yours:`");
    }
    return 0;
}

static const char *join(struct arena *arena, const char *const *paths, size_t count, bool quoted)
{
    enum { SHOWN = 10 };
    const char *text = "";
    for (size_t i = 0; i < count && i < SHOWN; i++)
        text = arena_printf(arena, quoted ? "%s%s'%s'" : "%s%s%s", text, i ? ", " : "", paths[i]);
    return count > SHOWN ? arena_printf(arena, "%s and %zu more", text, count - SHOWN) : text;
}

/* Where git is told to look away, it shows no change: then that comes first. */
static int refuse_dirty(const struct checker *c)
{
    (void)err_set(c->err, TG_REFUSED, "dirty",
                  "the update would touch files with changes that are not committed: %s",
                  join(c->arena, c->dirty, c->dirty_count, true));
    for (size_t i = 0; i < c->dirty_count; i++) {
        struct path_change change = {.path = c->dirty[i]};
        keep_bits(c, &change);
        if (change.skipped || change.assumed)
            return err_hint(c->err,
                            "git is told to overlook '%s': `%s` lets it "
                            "see the change; then commit or stash, and run this again",
                            change.path,
                            shell_command(c->arena,
                                          change.skipped
                                              ? "git update-index --no-skip-worktree -- %s"
                                              : "git update-index --no-assume-unchanged -- %s",
                                          change.path));
    }
    return err_hint(c->err, "commit or stash them, then run this again");
}

static int refuse_left_out(const struct checker *c)
{
    const char *path = c->left_out[0], *slash = strrchr(path, '/');
    (void)err_set(c->err, TG_REFUSED, "sparse",
                  "the update conflicts in files that the sparse checkout leaves out: %s",
                  join(c->arena, c->left_out, c->left_out_count, true));
    if (!repo_flag(c->repo, "core.sparsecheckout", false))
        return err_hint(
            c->err, "`%s` and `%s` bring it",
            shell_command(c->arena, "git update-index --no-skip-worktree -- %s", path),
            shell_command(c->arena, "git restore -- %s", pathspec_literal(c->arena, path)));
    const char *added = slash ? arena_memdup(c->arena, path, (size_t)(slash - path))
                              : arena_printf(c->arena, "/%s", path);
    return err_hint(c->err, "`%s` brings it",
                    shell_command(c->arena, "git sparse-checkout add %s", added));
}

static int judge(const struct checker *c)
{
    if (c->dirty_count)
        return refuse_dirty(c);
    if (c->left_out_count)
        return refuse_left_out(c);
    if (c->in_the_way_count) {
        (void)err_set(c->err, TG_REFUSED, "in-the-way",
                      "files that git does not track are where the update writes: %s",
                      join(c->arena, c->in_the_way, c->in_the_way_count, false));
        return err_hint(c->err, "move them away or commit them, then run this again");
    }
    return 0;
}

int preflight_files(struct preflight *out, const struct repo *repo, const struct index *index,
                    const struct plan_edit *edits, size_t count, struct err *err)
{
    struct arena *arena = repo->arena;
    struct tree_edit *later = arena_array(arena, count + 1, sizeof(*later));
    for (size_t i = 0; i < count; i++)
        later[i] = (struct tree_edit){edits[i].path, edits[i].disk};
    struct checker c = {.out = out,
                        .repo = repo,
                        .arena = arena,
                        .index = index,
                        .edits = edits,
                        .count = count,
                        .now = worktree_attributes_now(repo),
                        .after = worktree_attributes_after(repo, later, count),
                        .modes_count = repo_flag(repo, "core.filemode", true),
                        .dirty = arena_array(arena, count + 1, sizeof(*c.dirty)),
                        .in_the_way = arena_array(arena, count + 1, sizeof(*c.in_the_way)),
                        .left_out = arena_array(arena, count + 1, sizeof(*c.left_out)),
                        .err = err};
    *out = (struct preflight){.changes = arena_array(arena, count + 1, sizeof(*out->changes)),
                              .adopted = arena_array(arena, count + 1, sizeof(*out->adopted))};
    if (check_case(&c, edits, count) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct plan_edit *edit = &edits[i];
        struct path_change *change = &out->changes[out->count++];
        change->path = edit->path;
        fill_stages(change, edit);
        if (edit->index_only && !tree_entry_is_file(&edit->old) && !tree_entry_is_file(&edit->disk))
            continue;
        int rc = edit->old.mode != LEAF_ABSENT ? check_tracked(&c, edit, change)
                                               : check_new(&c, edit, change);
        if (rc < 0 || check_nested(&c, edit) < 0)
            return -1;
    }
    return judge(&c);
}

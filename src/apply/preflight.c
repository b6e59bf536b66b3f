/* Checks whether the update may touch these files: what lies on disk, and what will. */
#include "apply/preflight.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/shell.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/path_change.h"
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

/* The inputs of the checks. */
struct checker {
    const struct repo *repo;
    const struct index *index;
    const struct plan_edit *edits; /* sorted by path */
    size_t count;
    struct worktree_attributes *now, *after;
    bool modes_count;
    struct err *err;
};

/* The paths that each check found. */
struct obstacles {
    struct words dirty, left_out;
    struct words in_the_way; /* quoted, with what they are */
    struct words adopted;
};

static bool will_go(const struct checker *c, const char *path)
{
    const struct plan_edit *edit =
        bsearch(&path, c->edits, c->count, sizeof(*c->edits), str_compare_first);
    return edit && edit->disk.mode == LEAF_ABSENT && edit->old.mode != LEAF_ABSENT;
}

static void blocks(struct obstacles *found, const struct checker *c, const char *path,
                   const char *what)
{
    words_add(&found->in_the_way, c->repo->arena,
              what ? arena_printf(c->repo->arena, "'%s' (%s)", path, what)
                   : arena_printf(c->repo->arena, "'%s'", path));
}

/* Describes the file as it will be on disk. Puts its bytes into the store. */
static int future_of(struct disk_entry *out, const struct checker *c, const char *path,
                     const struct tree_entry *entry)
{
    BUF_SCRATCH(converted, CONTENT_MAX);
    STORE_BYTES_SCRATCH(object);
    enum convert_kind kind;
    *out = (struct disk_entry){.kind = DISK_FILE, .executable = entry->mode == LEAF_EXECUTABLE};
    if (worktree_convert(&kind, c->after, path, c->err) < 0)
        return -1;
    out->raw = entry->id;
    if (kind != CONVERT_TEXT_CRLF && kind != CONVERT_AUTO_CRLF)
        return 0;
    if (store_get(&object, c->repo->store, STORE_BLOB, &entry->id, path, c->err) < 0)
        return -1;
    if (!convert_to_disk(&converted, kind, object.bytes))
        return 0;
    return store_put(&out->raw, c->repo->store, STORE_BLOB,
                     span_of(buf_text(&converted), converted.len), c->err);
}

static bool mode_agrees(const struct checker *c, const struct disk_entry *disk,
                        const struct tree_entry *entry)
{
    return !c->modes_count || disk->executable == (entry->mode == LEAF_EXECUTABLE);
}

/* Checks a link or a submodule, which no update changes. */
static int check_other(struct obstacles *found, const struct checker *c,
                       const struct plan_edit *edit)
{
    struct tree_entry entry;
    if (!tree_entry_equal(&edit->disk, &edit->old))
        return err_set(c->err, TG_REFUSED, "not-a-file",
                       "the update would change '%s', which is a link or a submodule", edit->path);
    if (edit->old.mode != LEAF_LINK)
        return 0; /* a submodule is in the index only */
    if (worktree_leaf(&entry, NULL, c->now, edit->path, &edit->old, c->err) < 0)
        return -1;
    if (!tree_entry_equal(&entry, &edit->old))
        words_add(&found->dirty, c->repo->arena, edit->path);
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

static void keep_bits(const struct checker *c, struct path_change *change)
{
    struct index_item item;
    (void)index_find(&item, c->index, change->path);
    change->skipped = item.sparse;
    change->assumed = item.assumed;
}

static int check_tracked_file(struct obstacles *found, const struct checker *c,
                              const struct plan_edit *edit, struct path_change *change)
{
    BUF_SCRATCH(content, CONTENT_MAX);
    struct stat info;
    struct oid id;
    if (disk_look(&change->old, &info, &content, c->repo->top_fd, edit->path, c->err) < 0)
        return -1;
    keep_bits(c, change);
    if (path_change_is_sparse(change)) {
        if (edit->conflict)
            words_add(&found->left_out, c->repo->arena, edit->path);
        return 0;
    }
    if (change->old.kind != DISK_FILE) {
        words_add(&found->dirty, c->repo->arena, edit->path);
        return 0;
    }
    struct span bytes = span_of(buf_text(&content), content.len);
    if (worktree_hash(&id, NULL, c->now, edit->path, &edit->old, bytes, c->err) < 0)
        return -1;
    if (!oid_equal(&id, &edit->old.id) || !mode_agrees(c, &change->old, &edit->old)) {
        words_add(&found->dirty, c->repo->arena, edit->path);
        return 0;
    }
    change->mode = info.st_mode & 0777;
    /* The user may change or delete a conflict's file: undoing takes the content from the store. */
    return edit->conflict ? store_put(&id, c->repo->store, STORE_BLOB, bytes, c->err) : 0;
}

/* Fills in the path's new content on disk. */
static int plan_new(const struct checker *c, const struct plan_edit *edit,
                    struct path_change *change)
{
    change->new = change->old;
    if (path_change_is_sparse(change) || tree_entry_equal(&edit->old, &edit->disk))
        return 0;
    change->new = (struct disk_entry){.kind = DISK_ABSENT};
    if (edit->disk.mode == LEAF_ABSENT)
        return 0;
    return future_of(&change->new, c, edit->path, &edit->disk);
}

static int check_tracked(struct obstacles *found, const struct checker *c,
                         const struct plan_edit *edit, struct path_change *change)
{
    if (!tree_entry_is_file(&edit->old))
        return check_other(found, c, edit);
    if (check_tracked_file(found, c, edit, change) < 0)
        return -1;
    return plan_new(c, edit, change);
}

static int check_folder(const struct checker *c, int parent, const char *name, const char *path,
                        int depth);

static int check_inside(const struct checker *c, int folder, const char *name, const char *path,
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

/* A folder lies where a file goes. Returns 0 where the update removes all that is in it, else 1. */
static int check_folder(const struct checker *c, int parent, const char *name, const char *path,
                        int depth)
{
    struct dirent *entry;
    IO_DIR_SCRATCH(dir) = io_open_dir(parent, name);
    if (!dir || depth > FOLDER_DEPTH)
        return err_errno(c->err, errno, "io", "cannot read the folder '%s'", path);
    int rc = 0;
    while (rc == 0 && (entry = io_next(dir)))
        rc = check_inside(c, dirfd(dir), entry->d_name,
                          arena_printf(c->repo->arena, "%s/%s", path, entry->d_name), depth);
    if (rc == 0 && errno)
        rc = err_errno(c->err, errno, "io", "cannot read the folder '%s'", path);
    return rc;
}

/* True where a folder of the path is now a file that the update removes. */
static bool way_will_clear(const struct checker *c, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (will_go(c, arena_memdup(c->repo->arena, path, (size_t)(slash - path))))
            return true;
    return false;
}

static int check_way(struct obstacles *found, const struct checker *c, const struct plan_edit *edit,
                     const struct disk_entry *there)
{
    if (there->kind == DISK_BLOCKED && way_will_clear(c, edit->path))
        return 0;
    if (there->kind != DISK_FOLDER) {
        blocks(found, c, edit->path, disk_kind_name(there->kind));
        return 0;
    }
    const char *name;
    IO_FD_SCRATCH(parent) = -1;
    int rc = disk_parent(&parent, &name, c->repo->top_fd, edit->path, DISK_FIND, c->err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = check_folder(c, parent, name, edit->path, 0);
    if (rc > 0)
        blocks(found, c, edit->path, "a folder with files of yours");
    return rc < 0 ? -1 : 0;
}

/* A new path: nothing may lie there, except the very file that the update would write. */
static int check_new(struct obstacles *found, const struct checker *c, const struct plan_edit *edit,
                     struct path_change *change)
{
    struct disk_entry there;
    change->mode = (edit->disk.mode == LEAF_EXECUTABLE ? 0777 : 0666) & ~c->repo->mask;
    if (edit->disk.mode == LEAF_ABSENT)
        return 0;
    if (disk_look(&there, NULL, NULL, c->repo->top_fd, edit->path, c->err) < 0 ||
        future_of(&change->new, c, edit->path, &edit->disk) < 0)
        return -1;
    if (there.kind == DISK_ABSENT)
        return 0;
    if (there.kind != DISK_FILE)
        return check_way(found, c, edit, &there);
    if (oid_equal(&there.raw, &change->new.raw) && mode_agrees(c, &there, &edit->disk)) {
        change->old = change->new = there;
        words_add(&found->adopted, c->repo->arena, edit->path);
    } else {
        blocks(found, c, edit->path, NULL);
    }
    return 0;
}

/* On a disk that ignores case a new file would replace a file that goes, or be removed with it. */
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

/* Refuses a path in another repository within the work tree. */
static int check_nested(const struct checker *c, const struct plan_edit *edit)
{
    const char *path = edit->path;
    if (tree_entry_equal(&edit->old, &edit->disk))
        return 0;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *folder = arena_memdup(c->repo->arena, path, (size_t)(slash - path));
        const char *git = arena_printf(c->repo->arena, "%s/.git", folder);
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

enum { SHOWN = 10 };

static const char *quoted(struct arena *arena, const struct words *paths)
{
    const char *list = str_quoted(arena, paths->items, paths->count, SHOWN);
    return str_and_more(arena, list, paths->count, SHOWN);
}

/* Where git is told to overlook a path, its change does not show: then the hint names the path. */
static int refuse_dirty(const struct checker *c, const struct words *dirty)
{
    (void)err_set(c->err, TG_REFUSED, "dirty",
                  "the update would touch files with changes that are not committed: %s",
                  quoted(c->repo->arena, dirty));
    for (size_t i = 0; i < dirty->count; i++) {
        struct path_change change = {.path = dirty->items[i]};
        keep_bits(c, &change);
        if (change.skipped || change.assumed)
            return err_hint(c->err,
                            "git is told to overlook '%s': `%s` lets it "
                            "see the change; then commit or stash, and run this again",
                            change.path,
                            shell_command(c->repo->arena,
                                          change.skipped
                                              ? "git update-index --no-skip-worktree -- %s"
                                              : "git update-index --no-assume-unchanged -- %s",
                                          change.path));
    }
    return err_hint(c->err, "commit or stash them, then run this again");
}

static int refuse_left_out(const struct checker *c, const struct words *left_out)
{
    const char *path = left_out->items[0], *slash = strrchr(path, '/');
    (void)err_set(c->err, TG_REFUSED, "sparse",
                  "the update conflicts in files that the sparse checkout leaves out: %s",
                  quoted(c->repo->arena, left_out));
    if (!repo_flag(c->repo, "core.sparsecheckout", false))
        return err_hint(
            c->err, "`%s` and `%s` bring it",
            shell_command(c->repo->arena, "git update-index --no-skip-worktree -- %s", path),
            shell_command(c->repo->arena, "git restore -- %s",
                          repo_pathspec(c->repo->arena, path)));
    const char *added = slash ? arena_memdup(c->repo->arena, path, (size_t)(slash - path))
                              : arena_printf(c->repo->arena, "/%s", path);
    return err_hint(c->err, "`%s` brings it",
                    shell_command(c->repo->arena, "git sparse-checkout add %s", added));
}

static int judge(const struct checker *c, const struct obstacles *found)
{
    const struct words *blocking = &found->in_the_way;
    if (found->dirty.count)
        return refuse_dirty(c, &found->dirty);
    if (found->left_out.count)
        return refuse_left_out(c, &found->left_out);
    if (!blocking->count)
        return 0;
    size_t shown = blocking->count < SHOWN ? blocking->count : SHOWN;
    const char *list = str_join(c->repo->arena, blocking->items, shown, ", ");
    (void)err_set(c->err, TG_REFUSED, "in-the-way",
                  "files that git does not track are where the update writes: %s",
                  str_and_more(c->repo->arena, list, blocking->count, SHOWN));
    return err_hint(c->err, "move them away or commit them, then run this again");
}

int preflight_files(struct preflight *out, const struct repo *repo, const struct index *index,
                    const struct plan_edit *edits, size_t count, struct err *err)
{
    struct arena *arena = repo->arena;
    struct tree_edit *later = arena_array(arena, count + 1, sizeof(*later));
    for (size_t i = 0; i < count; i++)
        later[i] = (struct tree_edit){edits[i].path, edits[i].disk};
    struct checker c = {.repo = repo,
                        .index = index,
                        .edits = edits,
                        .count = count,
                        .now = worktree_attributes_now(repo),
                        .after = worktree_attributes_after(repo, later, count),
                        .modes_count = repo_flag(repo, "core.filemode", true),
                        .err = err};
    struct obstacles found = {0};
    *out = (struct preflight){.files.changes =
                                  arena_array(arena, count + 1, sizeof(*out->files.changes))};
    if (check_case(&c, edits, count) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct plan_edit *edit = &edits[i];
        struct path_change *change = &out->files.changes[out->files.count++];
        change->path = edit->path;
        fill_stages(change, edit);
        if (edit->index_only && !tree_entry_is_file(&edit->old) && !tree_entry_is_file(&edit->disk))
            continue;
        int rc = edit->old.mode != LEAF_ABSENT ? check_tracked(&found, &c, edit, change)
                                               : check_new(&found, &c, edit, change);
        if (rc < 0 || check_nested(&c, edit) < 0)
            return -1;
    }
    out->adopted = found.adopted;
    return judge(&c, &found);
}

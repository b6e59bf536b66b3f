/* The files of a work tree as objects: line endings, attributes, configuration. */
#include "git/worktree.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "git/disk_entry.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTRIBUTES_MAX (16 * LIMIT_MIB)
#define CONTENT_MAX ((size_t)1 << 40)
enum { LINK_MAX = 4096 };

struct worktree_attributes {
    const struct repo *repo;
    const struct tree_edit *edits;
    size_t edit_count;
    struct convert_config config;
    struct attributes *attributes;
    const char *unreadable; /* a file of attributes, without which nothing can be told; or NULL */
};

static const struct tree_edit *find_edit(const struct worktree_attributes *w, const char *path)
{
    for (size_t i = 0; i < w->edit_count; i++)
        if (strcmp(w->edits[i].path, path) == 0)
            return &w->edits[i];
    return NULL;
}

/* Reads the file from disk; if it is missing there, as in a sparse checkout, from HEAD. */
static int read_current(struct span *out, bool *found, const struct repo *repo, const char *path,
                        struct err *err)
{
    BUF_SCRATCH(content, ATTRIBUTES_MAX);
    struct disk_entry disk;
    struct tree_entry leaf = {0};
    if (disk_look(&disk, NULL, &content, repo->top_fd, path, err) < 0)
        return -1;
    *found = disk.kind == DISK_FILE;
    if (*found) {
        *out = span_of(arena_memdup(repo->arena, buf_text(&content), content.len), content.len);
        return 0;
    }
    if (!repo->unborn && tree_find(&leaf, repo->store, &repo->tree, path, err) < 0)
        return -1;
    *found = tree_entry_is_file(&leaf);
    return *found ? store_copy(out, repo->arena, repo->store, STORE_BLOB, &leaf.id, path, err) : 0;
}

static int read_attributes(struct span *out, bool *found, void *context, const char *path,
                           struct err *err)
{
    const struct worktree_attributes *w = context;
    const struct tree_edit *edit = find_edit(w, path);
    if (!edit)
        return read_current(out, found, w->repo, path, err);
    *found = tree_entry_is_file(&edit->leaf);
    return *found ? store_copy(out, w->repo->arena, w->repo->store, STORE_BLOB, &edit->leaf.id,
                               path, err)
                  : 0;
}

/* As in git, files that this user may not read, /dev/null and folders have no attributes. */
static struct span read_outside(struct worktree_attributes *w, const char *path)
{
    ERR_SCRATCH(ignored);
    struct span text = span_of("", 0);
    if (!path)
        return text;
    struct stat info;
    bool there = access(path, R_OK) == 0 && stat(path, &info) == 0;
    if (there ? !S_ISREG(info.st_mode) : errno == ENOENT || errno == ENOTDIR || errno == EACCES)
        return text;
    if (!there || io_read_file(&text, w->repo->arena, AT_FDCWD, path, ATTRIBUTES_MAX, &ignored) < 0)
        w->unreadable = path;
    return text;
}

static const char *user_file(const struct repo *repo)
{
    const char *set = repo_text(repo, "core.attributesfile");
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
    if (set && str_starts(set, "~/"))
        return home ? arena_printf(repo->arena, "%s%s", home, set + 1) : NULL;
    if (set)
        return set;
    if (config && *config)
        return arena_printf(repo->arena, "%s/git/attributes", config);
    return home ? arena_printf(repo->arena, "%s/.config/git/attributes", home) : NULL;
}

static void read_config(struct convert_config *out, const struct repo *repo)
{
    const char *autocrlf = repo_text(repo, "core.autocrlf"), *eol = repo_text(repo, "core.eol");
    *out = (struct convert_config){.autocrlf = AUTOCRLF_FALSE};
    if (autocrlf && strcmp(autocrlf, "input") == 0)
        out->autocrlf = AUTOCRLF_INPUT;
    else if (repo_flag(repo, "core.autocrlf", false))
        out->autocrlf = AUTOCRLF_TRUE;
    out->eol_crlf = eol && strcmp(eol, "crlf") == 0;
}

struct worktree_attributes *worktree_attributes_after(const struct repo *repo,
                                                      const struct tree_edit *edits, size_t count)
{
    struct worktree_attributes *w = arena_alloc(repo->arena, sizeof(*w));
    struct span *outside = arena_array(repo->arena, 2, sizeof(*outside));
    struct attribute_reader reader = {read_attributes, w};
    *w = (struct worktree_attributes){.repo = repo, .edits = edits, .edit_count = count};
    if (!getenv("GIT_ATTR_NOSYSTEM"))
        outside[0] = read_outside(w, "/etc/gitattributes");
    outside[1] = read_outside(w, user_file(repo));
    read_config(&w->config, repo);
    w->attributes = attributes_new(
        repo->arena, &reader, outside, 2,
        read_outside(w, arena_printf(repo->arena, "%sinfo/attributes", repo->common_dir)),
        repo_flag(repo, "core.ignorecase", false));
    return w;
}

struct worktree_attributes *worktree_attributes_now(const struct repo *repo)
{
    return worktree_attributes_after(repo, NULL, 0);
}

int worktree_convert(enum convert_kind *out, struct worktree_attributes *w, const char *path,
                     struct err *err)
{
    struct attribute_value values[ATTRIBUTES];
    if (w->unreadable)
        return err_set(err, TG_RUNTIME, "io", "cannot read '%s'", w->unreadable);
    if (attributes_get(values, w->attributes, path, err) < 0)
        return -1;
    return convert_choose(out, &w->config, values, path, err);
}

static int link_leaf(struct tree_entry *out, struct buf *bytes, const struct repo *repo,
                     const char *path, struct err *err)
{
    char target[LINK_MAX];
    ssize_t len = readlinkat(repo->top_fd, path, target, sizeof(target));
    if (len < 0 || len == sizeof(target))
        return err_set(err, TG_RUNTIME, "io", "cannot read the link '%s'", path);
    out->mode = LEAF_LINK;
    if (bytes)
        (void)buf_append(bytes, target, (size_t)len);
    return store_hash(&out->id, STORE_BLOB, span_of(target, (size_t)len), err);
}

int worktree_hash(struct oid *out, struct buf *bytes, struct worktree_attributes *w,
                  const char *path, const struct tree_entry *known, struct span disk,
                  struct err *err)
{
    BUF_SCRATCH(converted, CONTENT_MAX);
    STORE_BYTES_SCRATCH(in_head);
    enum convert_kind kind;
    if (worktree_convert(&kind, w, path, err) < 0)
        return -1;
    if (kind != CONVERT_NONE && tree_entry_is_file(known) &&
        store_get(&in_head, w->repo->store, STORE_BLOB, &known->id, path, err) < 0)
        return -1;
    if (convert_to_object(&converted, kind, disk, in_head.bytes))
        disk = span_of(buf_text(&converted), converted.len);
    if (bytes)
        (void)buf_append(bytes, disk.ptr, disk.len);
    return store_hash(out, STORE_BLOB, disk, err);
}

int worktree_leaf(struct tree_entry *out, struct buf *bytes, struct worktree_attributes *w,
                  const char *path, const struct tree_entry *known, struct err *err)
{
    BUF_SCRATCH(content, CONTENT_MAX);
    struct disk_entry disk;
    *out = (struct tree_entry){0};
    if (disk_look(&disk, NULL, &content, w->repo->top_fd, path, err) < 0)
        return -1;
    if (disk.kind == DISK_LINK)
        return link_leaf(out, bytes, w->repo, path, err);
    if (disk.kind != DISK_FILE)
        return 0;
    out->mode = disk.executable ? LEAF_EXECUTABLE : LEAF_FILE;
    if (!repo_flag(w->repo, "core.filemode", true) && tree_entry_is_file(known))
        out->mode = known->mode;
    return worktree_hash(&out->id, bytes, w, path, known, span_of(buf_text(&content), content.len),
                         err);
}

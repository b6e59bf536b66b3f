/* All that git tracks of a child, committed or only staged, as it lies on disk. */
#include "child/tracked.h"

#include "base/arena.h"
#include "base/buf.h"
#include "catalog/render.h"
#include "child/child.h"
#include "git/git_index.h"
#include "git/store.h"
#include "git/worktree.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define CONTENT_MAX ((size_t)1 << 40)

struct listing {
    struct child *child;
    struct worktree_attributes *worktree;
    struct err *err;
};

/* What is staged, else what HEAD has; absent where it is neither. */
static struct tree_entry known_leaf(const struct listing *l, const struct index_item *item,
                                    const char *path)
{
    if (item->stage == 0 && !item->intent_to_add)
        return item->leaf;
    const struct plan_file *file = plan_list_find(&l->child->files, path);
    return file ? file->entry : (struct tree_entry){0};
}

/* What git's index vouches for is not read. */
static int look_at(struct tree_entry *out, const struct listing *l, const struct index_item *item,
                   const struct tree_entry *known)
{
    BUF_SCRATCH(bytes, CONTENT_MAX);
    struct stat info;
    *out = *known;
    if (known->mode == LEAF_SUBMODULE || item->sparse)
        return 0;
    if (tree_entry_equal(&item->leaf, known) &&
        fstatat(l->child->repo.top_fd, item->path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        index_is_current(l->child->index, item->path, &info))
        return 0;
    if (worktree_leaf(out, &bytes, l->worktree, item->path, known, l->err) < 0)
        return -1;
    if (out->mode == LEAF_ABSENT)
        return 0;
    return store_put(&out->id, l->child->repo.store, STORE_BLOB,
                     span_of(buf_text(&bytes), bytes.len), l->err);
}

/* False for a path that no index has that git wrote: it would lead out of the work tree. */
static bool stays_inside(const char *path)
{
    static const char *const bad[] = {"", ".", "..", ".git"};
    for (const char *part = path;; part++) {
        size_t len = strcspn(part, "/");
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
            if (len == strlen(bad[i]) && memcmp(part, bad[i], len) == 0)
                return false;
        part += len;
        if (!*part)
            return true;
    }
}

/* The item's path in the child; NULL where it is not in there, or is the record. */
static const char *path_in_child(const struct listing *l, const struct index_item *item)
{
    const char *prefix = l->child->repo.prefix;
    if (!str_starts(item->path, prefix) || !stays_inside(item->path))
        return NULL;
    const char *path = item->path + strlen(prefix);
    return strcmp(path, RECORD_PATH) == 0 ? NULL : path;
}

int child_list_tracked(struct plan_list *out, struct child *child, struct err *err)
{
    struct listing l = {child, worktree_attributes_now(&child->repo), err};
    size_t total = index_count(child->index), count = 0;
    struct plan_file *files = arena_array(child->arena, total + 1, sizeof(*files));
    const char *last = "";
    for (size_t i = 0; i < total; i++) {
        struct index_item item;
        index_item(&item, child->index, i);
        const char *path = path_in_child(&l, &item);
        if (!path || strcmp(item.path, last) == 0)
            continue; /* of a conflict's stages the first stands for all */
        struct tree_entry known = known_leaf(&l, &item, path);
        last = item.path;
        files[count] = (struct plan_file){.path = path};
        if (look_at(&files[count].entry, &l, &item, &known) < 0)
            return -1;
        count += files[count].entry.mode != LEAF_ABSENT;
    }
    child_mark_nested(files, count, child->arena);
    *out = (struct plan_list){files, count};
    return 0;
}

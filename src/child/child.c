/* A child: its repository, HEAD's files, the index and the provenance. */
#include "child/child.h"

#include "apply/apply.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "catalog/render.h"
#include "catalog/trust.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/store.h"
#include "git/tree.h"
#include "git/worktree.h"

#include <fcntl.h>
#include <git2.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_A_FILE = 16 }; /* more than any tree has that agrees with its index */

static int no_record(const struct child *c, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "no-record", "'%s' is no project of a template: it has no %s",
                  c->repo.start, RECORD_PATH);
    return err_hint(err, "'tmplgen new' makes a project, 'tmplgen adopt' one of what is here; or "
                         "name the folder of one");
}

const char *child_folder(const struct child *c)
{
    return arena_printf(c->arena, "%s/", c->repo.start) + strlen(c->repo.top);
}

/* The path of the record that a run adds; NULL: there was one before. */
static const char *new_record(const struct journal *j)
{
    if (journal_is_sequence(j)) /* only of projects at the top; a stop may delete the record */
        return RECORD_PATH;
    for (size_t i = 0; i < j->files.count; i++) {
        const struct path_change *change = &j->files.changes[i];
        const char *slash = strrchr(change->path, '/'), *name = slash ? slash + 1 : change->path;
        if (strcmp(name, RECORD_PATH) == 0 && change->old.kind == DISK_ABSENT)
            return change->path;
    }
    return NULL;
}

/*
 * Finds the folder of a child that a run began to make: the record may be missing yet, or again.
 * Prepared files that are left over count, too: they must be tidied up.
 */
static int find_begun(struct child *c, struct err *err)
{
    struct unfinished begun;
    bool prepared;
    if (apply_look(&begun, &c->repo, err) < 0 ||
        disk_exists(&prepared, c->repo.git_fd, APPLY_FOLDER "/" WORK, err) < 0)
        return -1;
    if (begun.state == APPLY_NONE && prepared)
        c->repo.prefix = child_folder(c);
    const char *record = begun.state == APPLY_NONE ? NULL : new_record(&begun.journal);
    if (record)
        c->repo.prefix = arena_memdup(c->arena, record, strlen(record) - strlen(RECORD_PATH));
    return 0;
}

static int open_near(struct child *c, struct arena *arena, const char *path, struct err *err)
{
    *c = (struct child){.arena = arena};
    if (repo_open(&c->repo, arena, path, RECORD_PATH, err) < 0)
        return -1;
    trust_nothing_below(c->repo.top);
    return c->repo.prefix ? 0 : find_begun(c, err);
}

int child_open(struct child *c, struct arena *arena, const char *path, struct err *err)
{
    if (open_near(c, arena, path, err) < 0)
        return -1;
    return c->repo.prefix ? 0 : no_record(c, err);
}

int child_open_any(struct child *c, struct arena *arena, const char *path, struct err *err)
{
    if (open_near(c, arena, path, err) < 0)
        return -1;
    if (!c->repo.prefix)
        c->repo.prefix = child_folder(c);
    return 0;
}

int child_has_record(bool *out, const struct child *c, struct err *err)
{
    const char *path = repo_path(&c->repo, RECORD_PATH);
    struct tree_entry leaf = {0};
    if (disk_exists(out, c->repo.top_fd, path, err) < 0)
        return -1;
    if (!*out && !c->repo.unborn && tree_find(&leaf, c->repo.store, &c->repo.tree, path, err) < 0)
        return -1;
    *out = *out || leaf.mode != LEAF_ABSENT;
    return 0;
}

void child_mark_nested(struct plan_file *files, size_t count, struct arena *arena)
{
    const struct plan_list list = {files, count};
    for (size_t i = 0; i < count; i++) {
        if (files[i].nested || !str_ends(files[i].path, "/" RECORD_PATH))
            continue;
        size_t len = strlen(files[i].path) - strlen(RECORD_PATH);
        const char *folder = arena_memdup(arena, files[i].path, len);
        for (size_t at = plan_list_lower_bound(&list, folder);
             at < count && str_starts(files[at].path, folder); at++)
            files[at].nested = true;
    }
}

/* Cuts out the files below the child's folder, without the record; paths begin at that folder. */
static void cut_child(struct child *c)
{
    size_t skip = strlen(c->repo.prefix), count = 0;
    struct plan_file *files = arena_array(c->arena, c->head.count + 1, sizeof(*files));
    for (size_t at = 0; at < c->head.count; at++) {
        const struct tree_file *file = &c->head.files[at];
        if (str_starts(file->path, c->repo.prefix) && strcmp(file->path + skip, RECORD_PATH) != 0)
            files[count++] = (struct plan_file){.path = file->path + skip, .entry = file->leaf};
    }
    child_mark_nested(files, count, c->arena);
    c->files = (struct plan_list){files, count};
}

int child_read(struct child *c, struct err *err)
{
    if (index_renew(&c->index, repo_index_path(&c->repo), err) < 0)
        return -1;
    size_t max = TREE_ENTRIES + FOLDERS_A_FILE * index_count(c->index);
    if (!c->repo.unborn &&
        tree_list(&c->head, c->arena, c->repo.store, &c->repo.tree, max, err) < 0)
        return -1;
    cut_child(c);
    return 0;
}

/* ---------------------------------------------------------------- as it lies on disk */

#define CONTENT_MAX ((size_t)1 << 40)

struct listing {
    struct child *child;
    struct worktree_attributes *worktree;
    struct err *err;
};

/* The staged entry, else HEAD's; absent where neither has one. */
static struct tree_entry known_leaf(const struct listing *l, const struct index_item *item,
                                    const char *path)
{
    if (item->stage == 0 && !item->intent_to_add)
        return item->leaf;
    const struct plan_file *file = plan_list_find(&l->child->files, path);
    return file ? file->entry : (struct tree_entry){0};
}

/* Does not read a file that git's index vouches for. */
static int look_at_item(struct tree_entry *out, const struct listing *l,
                        const struct index_item *item, const struct tree_entry *known)
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

/* False for a path that git never writes into an index: it would lead out of the work tree. */
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

/* The item's path in the child; NULL where it lies elsewhere, or is the record. */
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
            continue; /* the first stage of a conflict stands for all of them */
        struct tree_entry known = known_leaf(&l, &item, path);
        last = item.path;
        files[count] = (struct plan_file){.path = path};
        if (look_at_item(&files[count].entry, &l, &item, &known) < 0)
            return -1;
        count += files[count].entry.mode != LEAF_ABSENT;
    }
    child_mark_nested(files, count, child->arena);
    *out = (struct plan_list){files, count};
    return 0;
}

/* ---------------------------------------------------------------- its end */

/* A remote promises objects. (Uses no regular expression: a failing one leaks in libgit2 1.5.) */
static bool is_partial(const struct repo *repo)
{
    git_config_iterator *iterator = NULL;
    git_config_entry *entry;
    bool partial = false;
    if (git_config_iterator_new(&iterator, repo->config) < 0)
        return false;
    while (!partial && git_config_next(&entry, iterator) == 0)
        partial = str_starts(entry->name, "remote.") && str_ends(entry->name, ".promisor");
    git_config_iterator_free(iterator);
    return partial;
}

int child_explain(const struct child *c, struct err *err)
{
    if (!c->repo.config || !err->message || strcmp(err->code, "git") != 0 ||
        !strstr(err->message, "object not found") || !is_partial(&c->repo))
        return -1;
    const char *message = arena_strdup(c->arena, err->message);
    (void)err_set(err, TG_REFUSED, "missing-objects",
                  "this is a partial clone, and an object that the update needs is not here (%s)",
                  message);
    return err_hint(err, "'git fetch --refetch --no-filter' fetches everything");
}

void child_close(struct child *c)
{
    index_free(c->index);
    repo_close(&c->repo);
}

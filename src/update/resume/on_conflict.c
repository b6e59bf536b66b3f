/* `--on-conflict commit`: what conflicts is committed, for people to look at on a branch. */
#include "update/resume/on_conflict.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "child/child.h"
#include "plan/plan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define THEIRS ".tmplgen-theirs"
enum { SHOWN = 5 };

struct committing {
    struct arena *arena;
    const struct child *child;
    struct plan *plan;
    struct plan_edit *edits; /* the new ones */
    size_t count;
    const char **theirs; /* names given so far */
    size_t theirs_count;
};

/* ---------------------------------------------------------------- names */

/* Something of the child's, no folder, that lies on the way to a path: its length; else 0. */
static size_t on_the_way(const struct committing *c, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t len = (size_t)(slash - path);
        if (plan_list_find(&c->child->files, arena_memdup(c->arena, path, len)))
            return len;
    }
    return 0;
}

static bool has_below(const struct plan_list *list, const char *path, struct arena *arena)
{
    const char *below = arena_printf(arena, "%s/", path);
    size_t at = plan_list_lower_bound(list, below);
    return at < list->count && str_starts(list->files[at].path, below);
}

static int compare_path(const void *path, const void *edit)
{
    return strcmp(path, ((const struct plan_edit *)edit)->path);
}

/* By the plan, or as another file's: that happens to shortened names only. */
static bool is_written(const struct committing *c, const char *path)
{
    if (bsearch(path, c->plan->edits, c->plan->edit_count, sizeof(*c->plan->edits), compare_path))
        return true;
    for (size_t i = 0; i < c->theirs_count; i++)
        if (strcmp(c->theirs[i], path) == 0)
            return true;
    return false;
}

static bool is_taken(const struct committing *c, const char *path)
{
    struct stat info;
    const char *full = repo_path(&c->child->repo, path);
    return plan_list_find(&c->child->files, path) || has_below(&c->child->files, path, c->arena) ||
           is_written(c, path) ||
           fstatat(c->child->repo.top_fd, full, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A name that can carry the ending: file systems end at 255 bytes. */
static const char *shortened(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t len = strlen(name);
    if (len <= LIMIT_NAME_BYTES)
        return path;
    for (len = LIMIT_NAME_BYTES; len && utf8_continues(name[len]); len--)
        ;
    return arena_memdup(arena, path, (size_t)(name - path) + len);
}

/* `known` where the child has just that content there already. */
static const char *theirs_name(const struct committing *c, const char *path,
                               const struct tree_entry *leaf, bool *known)
{
    size_t len = on_the_way(c, path);
    const char *name = len ? arena_memdup(c->arena, path, len) : shortened(c->arena, path);
    const char *rest = len ? path + len : "";
    *known = false;
    for (int i = 1;; i++) {
        const char *number = i == 1 ? "" : arena_printf(c->arena, "-%d", i);
        const char *full = arena_printf(c->arena, "%s" THEIRS "%s%s", name, number, rest);
        const struct plan_file *there = plan_list_find(&c->child->files, full);
        *known = there && tree_entry_equal(&there->leaf, leaf);
        if (*known || !is_taken(c, full))
            return full;
    }
}

/* ---------------------------------------------------------------- edits */

static void add_edit(struct committing *c, const struct plan_edit *edit)
{
    c->edits = arena_grow(c->arena, c->edits, c->count, sizeof(*c->edits));
    c->edits[c->count++] = *edit;
}

/* Where the template's content gets; NULL where it has none. */
static const char *put_theirs(struct committing *c, const struct plan_edit *edit)
{
    bool known;
    const struct tree_entry *leaf = &edit->stages[RENDER];
    if (!tree_entry_is_file(leaf))
        return NULL;
    const char *name = theirs_name(c, edit->path, leaf, &known);
    if (!known)
        add_edit(c, &(struct plan_edit){.path = name, .disk = *leaf});
    c->theirs = arena_grow(c->arena, c->theirs, c->theirs_count, sizeof(*c->theirs));
    c->theirs[c->theirs_count++] = name;
    return name;
}

/* The child's content, also where the path is a new one. */
static void keep_mine(struct committing *c, const struct plan_edit *edit)
{
    struct plan_edit kept = {.path = edit->path, .old = edit->old, .disk = edit->stages[CHILD]};
    if (!tree_entry_equal(&kept.old, &kept.disk))
        add_edit(c, &kept);
}

static void note_theirs(struct beside *lines, size_t count, const char *path, const char *theirs)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(lines[i].path, path) == 0)
            lines[i].theirs = theirs;
}

static struct beside *list_lines(size_t *count, const struct committing *c)
{
    const struct plan *plan = c->plan;
    struct beside *lines = arena_array(c->arena, plan->path_count + 1, sizeof(*lines));
    *count = 0;
    for (size_t i = 0; i < plan->path_count; i++)
        if (plan->paths[i].state == PATH_CONFLICT)
            lines[(*count)++].path = plan->paths[i].path;
    return lines;
}

struct beside *conflicts_commit(size_t *count, struct arena *arena, const struct child *child,
                                struct plan *plan)
{
    struct committing c = {.arena = arena, .child = child, .plan = plan};
    struct beside *lines = list_lines(count, &c);
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct plan_edit *edit = &plan->edits[i];
        if (!edit->conflict) {
            add_edit(&c, edit);
            continue;
        }
        keep_mine(&c, edit);
        note_theirs(lines, *count, edit->path, put_theirs(&c, edit));
    }
    plan->edits = c.edits;
    plan->edit_count = c.count;
    plan_sort_edits(plan->edits, plan->edit_count);
    return lines;
}

/* ---------------------------------------------------------------- what is left */

bool conflicts_is_theirs(const char *path)
{
    const char *at = strstr(path, THEIRS);
    return at && strchr("-/", at[strlen(THEIRS)]); /* or the end */
}

struct plan_list conflicts_apart(struct arena *arena, const struct plan_list *files)
{
    struct plan_file *marked = arena_array(arena, files->count + 1, sizeof(*marked));
    for (size_t i = 0; i < files->count; i++) {
        marked[i] = files->files[i];
        marked[i].nested |= conflicts_is_theirs(marked[i].path);
    }
    return (struct plan_list){marked, files->count};
}

const char *conflicts_left(struct arena *arena, const struct plan_list *files)
{
    const char *list = "";
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        if (!files->files[i].nested && conflicts_is_theirs(files->files[i].path) && count++ < SHOWN)
            list =
                arena_printf(arena, "%s%s'%s'", list, count > 1 ? ", " : "", files->files[i].path);
    if (count == 0)
        return NULL;
    return arena_printf(arena,
                        "%zu %s of an earlier conflict %s there, to be taken over and removed: "
                        "%s%s",
                        count, count == 1 ? "file" : "files", count == 1 ? "is" : "are", list,
                        count > SHOWN ? ", ..." : "");
}

/* `--on-conflict commit`: conflicts are committed to a branch, for people to look at. */
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
    struct words theirs; /* names given so far */
};

/* ---------------------------------------------------------------- names */

/* The length of a folder in the path where the child has another entry; or 0. */
static size_t on_the_way(const struct committing *c, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t len = (size_t)(slash - path);
        if (plan_list_find(&c->child->files, arena_memdup(c->arena, path, len)))
            return len;
    }
    return 0;
}

/* True where the plan writes the path, or another name was shortened to it. */
static bool is_written(const struct committing *c, const char *path)
{
    return bsearch(&path, c->plan->edits, c->plan->edit_count, sizeof(*c->plan->edits),
                   str_compare_first) ||
           words_have(&c->theirs, path);
}

static bool is_taken(const struct committing *c, const char *path)
{
    struct stat info;
    const char *full = repo_path(&c->child->repo, path);
    return plan_list_find(&c->child->files, path) ||
           plan_list_has_folder(&c->child->files, arena_printf(c->arena, "%s/", path)) ||
           is_written(c, path) ||
           fstatat(c->child->repo.top_fd, full, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Shortens the name to leave room for the ending: file systems allow 255 bytes. */
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

/* `*known` is true where the child already has that content there. */
static const char *theirs_name(const struct committing *c, const char *path,
                               const struct tree_entry *entry, bool *known)
{
    size_t len = on_the_way(c, path);
    const char *name = len ? arena_memdup(c->arena, path, len) : shortened(c->arena, path);
    const char *rest = len ? path + len : "";
    *known = false;
    for (int i = 1;; i++) {
        const char *number = i == 1 ? "" : arena_printf(c->arena, "-%d", i);
        const char *full = arena_printf(c->arena, "%s" THEIRS "%s%s", name, number, rest);
        const struct plan_file *there = plan_list_find(&c->child->files, full);
        *known = there && tree_entry_equal(&there->entry, entry);
        if (*known || !is_taken(c, full))
            return full;
    }
}

/* ---------------------------------------------------------------- edits */

/* Returns the path of the template's content; NULL where it has none. */
static const char *put_theirs(struct committing *c, const struct plan_edit *edit)
{
    bool known;
    const struct tree_entry *entry = &edit->stages[RENDER];
    if (!tree_entry_is_file(entry))
        return NULL;
    const char *name = theirs_name(c, edit->path, entry, &known);
    if (!known)
        arena_push(c->arena, c->edits, c->count) = (struct plan_edit){.path = name, .disk = *entry};
    words_add(&c->theirs, c->arena, name);
    return name;
}

/* Keeps the child's content, even at a new path. */
static void keep_mine(struct committing *c, const struct plan_edit *edit)
{
    struct plan_edit kept = {.path = edit->path, .old = edit->old, .disk = edit->stages[CHILD]};
    if (!tree_entry_equal(&kept.old, &kept.disk))
        arena_push(c->arena, c->edits, c->count) = kept;
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
            arena_push(arena, c.edits, c.count) = *edit;
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

/* ---------------------------------------------------------------- files of earlier conflicts */

static bool is_theirs(const char *path)
{
    const char *at = strstr(path, THEIRS);
    return at && strchr("-/", at[strlen(THEIRS)]); /* or the end */
}

struct plan_list conflicts_apart(struct arena *arena, const struct plan_list *files)
{
    struct plan_file *marked = arena_array(arena, files->count + 1, sizeof(*marked));
    for (size_t i = 0; i < files->count; i++) {
        marked[i] = files->files[i];
        marked[i].nested |= is_theirs(marked[i].path);
    }
    return (struct plan_list){marked, files->count};
}

const char *conflicts_left(struct arena *arena, const struct plan_list *files)
{
    struct words left = {0};
    for (size_t i = 0; i < files->count; i++)
        if (!files->files[i].nested && is_theirs(files->files[i].path))
            words_add(&left, arena, files->files[i].path);
    if (left.count == 0)
        return NULL;
    bool one = left.count == 1;
    return arena_printf(arena,
                        "%zu %s of an earlier conflict %s there, to be taken over and removed: "
                        "%s%s",
                        left.count, one ? "file" : "files", one ? "is" : "are",
                        str_quoted(arena, left.items, left.count, SHOWN),
                        left.count > SHOWN ? ", ..." : "");
}

/* Which files of a child `--restore` means. */
#include "update/target/restore.h"

#include "base/arena.h"
#include "base/shell.h"
#include "base/str.h"
#include "child/child.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/pathspec.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* `path` seen from the folder `from`: absolute, without "." and "..", by names alone. */
static const char *absolute(struct arena *arena, const char *from, const char *path)
{
    const char *rest = *path == '/' ? path : arena_printf(arena, "%s/%s", from, path);
    char *out = arena_alloc(arena, strlen(rest) + 2);
    size_t len = 0;
    while (*rest) {
        size_t part = strcspn(rest, "/");
        bool here = part == 0 || (part == 1 && *rest == '.');
        if (part == 2 && memcmp(rest, "..", 2) == 0) {
            while (len && out[--len] != '/')
                ;
        } else if (!here) {
            out[len++] = '/';
            memcpy(out + len, rest, part);
            len += part;
        }
        rest += part + (rest[part] == '/');
    }
    out[len] = '\0';
    return out;
}

/* The path in the child, or NULL where it lies elsewhere. */
static const char *inside(const struct child *c, const char *path)
{
    const char *folder = arena_printf(c->arena, "%s%s", c->repo.top, c->repo.prefix);
    return str_starts(path, folder) ? path + strlen(folder) : NULL;
}

static bool is_known(const struct plan_input *input, const char *path)
{
    for (int side = BASE; side < SIDES; side++)
        if (plan_list_find(&input->side[side], path))
            return true;
    return false;
}

static const char *find_one(const struct child *c, const struct plan_input *input, const char *said)
{
    char here[PATH_MAX];
    const char *folder = arena_printf(c->arena, "%s%s", c->repo.top, c->repo.prefix);
    const char *path = NULL;
    if (getcwd(here, sizeof(here)))
        path = inside(c, absolute(c->arena, here, said));
    if (path && is_known(input, path))
        return path;
    path = inside(c, absolute(c->arena, folder, said));
    return path ? path : said;
}

/* HEAD has the file: where only the disk lacks it, git brings it back. */
static int check_disk(const struct child *c, const char *path, const char *said, struct err *err)
{
    const char *whole = repo_path(&c->repo, path);
    struct index_item item;
    struct disk_entry disk;
    bool found;
    if (disk_look(&disk, NULL, NULL, c->repo.top_fd, whole, err) < 0)
        return -1;
    index_find(&item, &found, c->index, whole);
    bool gone = disk.kind == DISK_ABSENT || disk.kind == DISK_BLOCKED;
    if (!gone || (found && item.sparse))
        return 0; /* the planner says that it is there */
    (void)err_set(err, TG_USAGE, "not-restorable",
                  "cannot restore '%s': it is only deleted on disk", said);
    return err_hint(err, "`%s` brings it back",
                    shell_command(c->arena, "git restore -- %s", pathspec_literal(c->arena, said)));
}

int restore_find(const char *const **out, const struct child *child, const struct plan_input *input,
                 const char *const *said, size_t count, struct err *err)
{
    const char **paths = arena_array(child->arena, count + 1, sizeof(*paths));
    *out = paths;
    for (size_t i = 0; i < count; i++) {
        paths[i] = find_one(child, input, said[i]);
        if (plan_list_find(&input->side[CHILD], paths[i]) &&
            check_disk(child, paths[i], said[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Checks the summary's file: it may be neither one of git's own nor one that git tracks. */

#include "base/arena.h"
#include "base/str.h"
#include "git/git_index.h"
#include "git/repo.h"
#include "git/tree.h"
#include "plan/plan.h"
#include "update/summary.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static int refuse(struct err *err, const char *path, const char *what)
{
    (void)err_set(err, TG_USAGE, "usage", "'%s' is a file of %s", path, what);
    return err_hint(err, "write the summary to a file that git does not track");
}

/* ---------------------------------------------------------------- git's own */

/* True for git's folder in any repository, and for a work tree's `.git` file. */
static bool has_dot_git(const char *path)
{
    static const char name[] = ".git";
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcspn(part, "/") == strlen(name) && strncasecmp(part, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

static bool is_folder(int fd, const struct stat *folder)
{
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_dev == folder->st_dev && info.st_ino == folder->st_ino;
}

/* Compares the folders above by inode: a folder may have another name. */
static bool is_below(const char *path, const struct repo *repo)
{
    char *folder = arena_strdup(repo->arena, path), *slash;
    while ((slash = strrchr(folder, '/'))) {
        struct stat info;
        *slash = '\0';
        if (stat(slash == folder ? "/" : folder, &info) == 0 &&
            (is_folder(repo->git_fd, &info) || is_folder(repo->common_fd, &info)))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- tracked */

/* The path from the top of the work tree; NULL where it lies elsewhere. */
static const char *in_tree(const char *path, const struct repo *repo)
{
    return path && str_starts(path, repo->top) ? path + strlen(repo->top) : NULL;
}

static int find_tracked(bool *out, const char *path, const struct repo *repo, struct err *err)
{
    struct index *index;
    struct index_item item;
    struct tree_entry entry = {.mode = LEAF_ABSENT};
    if (index_open(&index, repo_index_path(repo), err) < 0)
        return -1;
    *out = index_find(&item, index, path);
    index_free(index);
    if (!*out && !repo->unborn && tree_find(&entry, repo->store, &repo->tree, path, err) < 0)
        return -1;
    *out |= entry.mode != LEAF_ABSENT;
    return 0;
}

int summary_place_check(const char *path, const struct repo *repo, struct err *err)
{
    const char *inside = in_tree(path, repo);
    bool taken;
    if (path && (has_dot_git(path) || is_below(path, repo)))
        return refuse(err, path, "git's own");
    if (!inside)
        return 0;
    if (find_tracked(&taken, inside, repo, err) < 0)
        return -1;
    return taken ? refuse(err, inside, "the project") : 0;
}

int summary_place_check_edits(const char *path, const struct repo *repo,
                              const struct plan_edit *edits, size_t count, struct err *err)
{
    const char *inside = in_tree(path, repo);
    for (size_t i = 0; inside && i < count; i++)
        if (strcmp(edits[i].path, inside) == 0)
            return refuse(err, inside, "the project");
    return 0;
}

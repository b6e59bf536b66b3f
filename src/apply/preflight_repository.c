/* Checks whether this repository may be updated now: everything but the files. */
#include "apply/preflight.h"

#include "base/arena.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/libgit2.h"
#include "git/ref.h"
#include "git/repo.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 10 };

static const char *operation_name(int state)
{
    switch (state) {
    case GIT_REPOSITORY_STATE_MERGE:
        return "a merge";
    case GIT_REPOSITORY_STATE_REVERT:
    case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
        return "a revert";
    case GIT_REPOSITORY_STATE_CHERRYPICK:
    case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
        return "a cherry-pick";
    case GIT_REPOSITORY_STATE_BISECT:
        return "a bisect";
    case GIT_REPOSITORY_STATE_REBASE:
    case GIT_REPOSITORY_STATE_REBASE_INTERACTIVE:
    case GIT_REPOSITORY_STATE_REBASE_MERGE:
        return "a rebase";
    default:
        return "an 'am' or rebase";
    }
}

int preflight_state(const struct repo *repo, struct err *err)
{
    int state;
    if (repo_state(&state, repo->git, err) < 0)
        return -1;
    if (state == GIT_REPOSITORY_STATE_NONE)
        return 0;
    (void)err_set(err, TG_REFUSED, "operation-in-progress", "%s is under way in this repository",
                  operation_name(state));
    return err_hint(err, "finish or abort it ('git status' says how), then run this again");
}

static int check_locks(const struct repo *repo, struct err *err)
{
    static const char *const locks[] = {"index.lock", "HEAD.lock"};
    for (size_t i = 0; i < sizeof(locks) / sizeof(*locks); i++) {
        bool there;
        if (disk_exists(&there, repo->git_fd, locks[i], err) < 0)
            return -1;
        if (!there)
            continue;
        (void)err_set(err, TG_REFUSED, "locked", "'%s%s' is there: another git command is at work",
                      repo->git_dir, locks[i]);
        return err_hint(err, "wait for it; if it is long dead, remove the file");
    }
    return 0;
}

/* Searches the linked work trees, except this one. */
static int find_in_linked(const char **out, const struct repo *repo, DIR *dir, const char *line,
                          struct err *err)
{
    const char *own = repo->git_dir + strlen(repo->common_dir);
    const struct dirent *entry;
    while (!*out && (entry = io_next(dir))) {
        const char *tree = arena_printf(repo->arena, "worktrees/%s/", entry->d_name);
        const char *head = arena_printf(repo->arena, "%sHEAD", tree);
        bool says = false;
        if (*entry->d_name != '.' && strcmp(tree, own) != 0 &&
            ref_says(&says, repo->common_fd, head, line, err) < 0)
            return -1;
        if (says)
            *out = arena_printf(repo->arena, "the work tree '%s'", entry->d_name);
    }
    return *out || !errno ? 0 : err_errno(err, errno, "io", "cannot read the folder of work trees");
}

/* Describes another work tree whose HEAD is on the branch; NULL: there is none. */
static int find_other_worktree(const char **out, const struct repo *repo, const char *branch,
                               struct err *err)
{
    const char *line = arena_printf(repo->arena, "ref: %s", branch);
    bool says = false;
    *out = NULL;
    if (strcmp(repo->git_dir, repo->common_dir) != 0 &&
        ref_says(&says, repo->common_fd, "HEAD", line, err) < 0)
        return -1;
    if (says)
        *out = "the main work tree";
    IO_DIR_SCRATCH(dir) =
        says ? NULL : opendir(arena_printf(repo->arena, "%sworktrees", repo->common_dir));
    if (dir)
        return find_in_linked(out, repo, dir, line, err);
    return says || errno == ENOENT
               ? 0
               : err_errno(err, errno, "io", "cannot open the folder of work trees");
}

int preflight_unused(const struct repo *repo, const char *branch, struct err *err)
{
    const char *other;
    if (find_other_worktree(&other, repo, branch, err) < 0)
        return -1;
    if (!other)
        return 0;
    (void)err_set(err, TG_REFUSED, "branch-in-use", "%s has '%s' checked out, too", other,
                  branch + strlen("refs/heads/"));
    return err_hint(err, "an update would move it under that one's feet: use a branch of its own");
}

static int check_branch(const struct repo *repo, struct err *err)
{
    if (repo->branch)
        return preflight_unused(repo, repo->branch, err);
    (void)err_set(err, TG_REFUSED, "detached-head", "HEAD is on no branch");
    return err_hint(err, "switch to a branch, or give --branch NAME to make one here");
}

/* A branch "a" cannot exist beside "a/b". */
static int check_free(const struct repo *repo, const char *name, bool renewed, struct err *err)
{
    git_reference_iterator *iterator = NULL;
    const char *other, *full = arena_printf(repo->arena, "refs/heads/%s", name);
    const char *below = arena_printf(repo->arena, "%s/", full), *taken = NULL;
    if (git_reference_iterator_glob_new(&iterator, repo->git, "refs/heads/*") < 0)
        return git_fail(err, "cannot list the branches");
    while (!taken && git_reference_next_name(&other, iterator) == 0)
        if ((!renewed && strcmp(other, full) == 0) || str_starts(other, below) ||
            str_starts(full, arena_printf(repo->arena, "%s/", other)))
            taken = arena_strdup(repo->arena, other + strlen("refs/heads/"));
    git_reference_iterator_free(iterator);
    if (!taken)
        return 0;
    (void)err_set(err, TG_REFUSED, "branch-exists", "there is a branch '%s' already%s", taken,
                  strcmp(taken, name) == 0
                      ? ""
                      : arena_printf(repo->arena, ", and '%s' cannot be beside it", name));
    return err_hint(err, "--branch makes a new branch: give another name");
}

int preflight_branch_name(const char *name, struct err *err)
{
    int valid = 0;
    if (git_start(err) < 0)
        return -1;
    if (git_branch_name_is_valid(&valid, name) == 0 && valid && strcmp(name, "@") != 0)
        return 0;
    (void)err_set(err, TG_USAGE, "usage", "'%s' is no name for a branch", name);
    return err_hint(err, "'git check-ref-format --branch NAME' says which are");
}

static int check_new_branch(const struct repo *repo, const char *name, bool renewed,
                            struct err *err)
{
    if (check_free(repo, name, renewed, err) < 0)
        return -1;
    return renewed ? preflight_unused(repo, arena_printf(repo->arena, "refs/heads/%s", name), err)
                   : 0;
}

/* Finds the first path in conflict, or NULL. */
static int find_unmerged(const char **path, struct index **index, const struct repo *repo,
                         struct err *err)
{
    *path = NULL;
    if (index_renew(index, repo_index_path(repo), err) < 0)
        return -1;
    for (size_t i = 0; !*path && i < index_count(*index); i++) {
        struct index_item item;
        index_item(&item, *index, i);
        if (item.stage)
            *path = arena_strdup(repo->arena, item.path);
    }
    return 0;
}

int preflight_merged(const struct repo *repo, struct index **kept, struct err *err)
{
    struct index *own = NULL;
    const char *path;
    int state;
    if (repo_state(&state, repo->git, err) < 0)
        return -1;
    if (state != GIT_REPOSITORY_STATE_NONE)
        return 0;
    int rc = find_unmerged(&path, kept ? kept : &own, repo, err);
    index_free(own);
    if (rc < 0)
        return -1;
    if (!path)
        return 0;
    (void)err_set(err, TG_REFUSED, "unmerged", "'%s' is in conflict, and no operation is under way",
                  path);
    return err_hint(err, "resolve, 'git add' and commit what is left of it, or give it up: "
                         "'git reset --merge' goes back to HEAD");
}

static int check_index(const struct repo *repo, const struct index *index,
                       const struct tree_files *head, struct err *err)
{
    struct words paths = index_differences(repo->arena, index, head);
    if (paths.count == 0)
        return 0;
    const char *list = str_quoted(repo->arena, paths.items, paths.count, SHOWN);
    (void)err_set(err, TG_REFUSED, "staged", "the index is not what HEAD says: %s",
                  str_and_more(repo->arena, list, paths.count, SHOWN));
    return err_hint(err,
                    "commit what is staged, or 'git restore --staged' it, then run this again");
}

int preflight_born(const struct repo *repo, struct err *err)
{
    if (!repo->unborn)
        return 0;
    (void)err_set(err, TG_REFUSED, "unborn-branch", "this repository has no commit yet");
    return err_hint(err, "commit the generated project first");
}

int preflight_repository(const struct repo *repo, const struct index *index,
                         const struct tree_files *head, const char *new_branch, bool renewed,
                         struct err *err)
{
    if (preflight_state(repo, err) < 0 || check_locks(repo, err) < 0)
        return -1;
    if (new_branch ? check_new_branch(repo, new_branch, renewed, err) < 0
                   : check_branch(repo, err) < 0)
        return -1;
    return check_index(repo, index, head, err);
}

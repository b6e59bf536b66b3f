/* A project on disk: its repository, its folder there, and the state of HEAD. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <sys/types.h>

struct arena;
struct git_config;
struct git_repository;
struct store;

struct repo {
    struct arena *arena;
    struct git_repository *git;
    struct git_config *config; /* a snapshot, with config.worktree */
    struct store *store;
    const char *git_dir;    /* of this work tree: HEAD, index; absolute, ends in '/' */
    const char *common_dir; /* objects, refs; absolute, ends in '/' */
    const char *top;        /* the work tree; absolute, ends in '/' */
    const char *start;      /* the folder given to repo_open; absolute */
    const char *prefix;     /* the project's folder in it: "" or "services/a/" */
    int top_fd, git_fd, common_fd;
    mode_t mask;           /* the umask */
    const char *branch;    /* "refs/heads/main"; NULL: HEAD is detached */
    const char *head_text; /* text of the file HEAD, without its newline */
    bool unborn;           /* the branch has no commit yet: then head and tree are zero */
    struct oid head;       /* commit */
    struct oid tree;       /* of the whole repository */
};

/*
 * Opens the repository around `path` for reading, and finds the project: the nearest folder from
 * `path` upwards, inside the work tree, with the file `marker` on disk or in HEAD. Without one,
 * `prefix` is NULL. First refuses by name (3, "repository-form") repositories that libgit2 cannot
 * read or that are not safe to write to. Memory is in the arena; repo_close frees the handles.
 */
TG_CHECKED int repo_open(struct repo *out, struct arena *arena, const char *path,
                         const char *marker, struct err *err);
void repo_close(struct repo *repo);

/* The operation in progress (git_repository_state_t). libgit2 reports none if it cannot see it. */
TG_CHECKED int repo_state(int *out, struct git_repository *repository, struct err *err);
/* True if older commits are missing. */
bool repo_is_shallow(const struct repo *repo);

/* Reads HEAD, branch and tree again. */
TG_CHECKED int repo_read_head(struct repo *repo, struct err *err);
/* HEAD's tree, or NULL if there is no commit yet. */
const struct oid *repo_tree(const struct repo *repo);

/* Adds the prefix: "README.md" becomes "services/a/README.md". */
const char *repo_path(const struct repo *repo, const char *path);

/* The commit of a ref; `*found` is false if the ref does not exist. */
TG_CHECKED int repo_ref(struct oid *out, bool *found, const struct repo *repo, const char *name,
                        struct err *err);

/* Tree and parents of a commit. */
struct commit {
    struct oid tree;
    struct oid *parents;
    size_t parent_count;
};
TG_CHECKED int repo_commit(struct commit *out, struct arena *arena, const struct store *store,
                           const struct oid *id, struct err *err);

bool repo_flag(const struct repo *repo, const char *key, bool fallback);
/* A value of git's configuration, or NULL if it is not set. */
const char *repo_text(const struct repo *repo, const char *key);
/* The character that begins comment lines in commit messages: core.commentChar. */
char repo_comment_char(const struct repo *repo);

/* The path as git's commands take it: a pathspec may be a glob, or begin with magic words. */
const char *repo_pathspec(struct arena *arena, const char *path);

/*
 * The umask for files in git's folder, from core.sharedRepository (`value`; NULL: not set) and the
 * user's umask. "group" and "all" add rights; an octal mode sets them all. Folders inherit the
 * group of their parent, as git has set it up.
 */
mode_t repo_shared_mask(const char *value, mode_t mask);
/* The mode of a replaced file, such as the index. 0: nothing is shared, it keeps its own. */
mode_t repo_shared_mode(const char *value, mode_t mask);

/* The path of git's index. */
const char *repo_index_path(const struct repo *repo);
/* The branch of a ref ("main" of "refs/heads/main"); any other ref unchanged. */
const char *repo_branch_name(const char *ref);

void oid_hex(char out[41], const struct oid *id);
/* As hexadecimal digits, in the arena. */
const char *oid_text(struct arena *arena, const struct oid *id);
TG_CHECKED int oid_parse(struct oid *out, const char *hex);

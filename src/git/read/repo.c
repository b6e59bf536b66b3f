/* A project on disk: its repository, its folder there, and the state of HEAD. */
#include "git/repo.h"

#include "base/arena.h"
#include "base/limits.h"
#include "git/disk_entry.h"
#include "git/libgit2.h"
#include "git/repo_form.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <git2/sys/config.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

void oid_hex(char out[41], const struct oid *id)
{
    for (size_t i = 0; i < sizeof(id->id); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", id->id[i]);
}

const char *oid_text(struct arena *arena, const struct oid *id)
{
    char hex[41];
    oid_hex(hex, id);
    return arena_strdup(arena, hex);
}

int oid_parse(struct oid *out, const char *hex)
{
    git_oid id;
    if (!hex || strlen(hex) != GIT_OID_HEXSZ || git_oid_fromstr(&id, hex) < 0)
        return -1;
    *out = oid_from(&id);
    return 0;
}

const char *repo_index_path(const struct repo *repo)
{
    return arena_printf(repo->arena, "%sindex", repo->git_dir);
}

const char *repo_branch_name(const char *ref)
{
    static const char heads[] = "refs/heads/";
    return str_starts(ref, heads) ? ref + strlen(heads) : ref;
}

const char *repo_path(const struct repo *repo, const char *path)
{
    size_t before = strlen(repo->prefix), size = strlen(path) + 1;
    char *out = arena_alloc(repo->arena, before + size);
    memcpy(out, repo->prefix, before);
    memcpy(out + before, path, size);
    return out;
}

const char *repo_pathspec(struct arena *arena, const char *path)
{
    return *path == ':' || strpbrk(path, "*?[\\") ? arena_printf(arena, ":(literal)%s", path)
                                                  : path;
}

bool repo_flag(const struct repo *repo, const char *key, bool fallback)
{
    int value;
    return git_config_get_bool(&value, repo->config, key) < 0 ? fallback : value != 0;
}

const char *repo_text(const struct repo *repo, const char *key)
{
    const char *value = NULL;
    return git_config_get_string(&value, repo->config, key) < 0 ? NULL : value;
}

char repo_comment_char(const struct repo *repo)
{
    const char *value = repo_text(repo, "core.commentchar");
    return value && value[0] && !value[1] ? *value : '#';
}

bool repo_is_shallow(const struct repo *repo)
{
    return faccessat(repo->common_fd, "shallow", F_OK, 0) == 0;
}

static int open_folder(int *fd, const char *path, struct err *err)
{
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open the folder '%s'", path) : 0;
}

static int find_start(const char **out, struct arena *arena, const char *path, struct err *err)
{
    struct stat info;
    *out = io_real_path(arena, path);
    if (!*out && (errno == ENOENT || errno == ENOTDIR))
        return err_set(err, TG_USAGE, "invalid-path", "there is no folder '%s'", path);
    if (!*out || stat(*out, &info) < 0)
        return err_errno(err, errno, "io", "cannot use '%s'", path);
    if (!S_ISDIR(info.st_mode))
        return err_set(err, TG_USAGE, "invalid-path", "'%s' is no folder", path);
    return 0;
}

/* libgit2 ignores config.worktree, which overrides the repository's configuration. */
static int read_config(struct repo *repo, struct err *err)
{
    git_config *config = NULL;
    const char *extra = arena_printf(repo->arena, "%sconfig.worktree", repo->git_dir);
    int rc = git_repository_config(&config, repo->git);
    if (rc == 0 && (access(extra, R_OK) == 0 || errno != ENOENT))
        rc = git_config_add_file_ondisk(config, extra, GIT_CONFIG_LEVEL_APP, NULL, 0);
    if (rc == 0)
        rc = git_config_snapshot(&repo->config, config);
    git_config_free(config);
    return rc < 0 ? git_fail(err, "cannot read git's configuration") : 0;
}

static int open_git(struct repo *repo, struct err *err)
{
    const char *objects = arena_printf(repo->arena, "%sobjects", repo->common_dir);
    if (git_start(err) < 0)
        return -1;
    if (git_repository_open_ext(&repo->git, repo->top, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0)
        return repo_form_explain(repo->top, err);
    if (store_open(&repo->store, objects, err) < 0 || store_attach(repo->store, repo->git, err) < 0)
        return -1;
    return read_config(repo, err);
}

static int check_work_tree(const struct repo *repo, struct err *err)
{
    const char *work_tree = git_repository_workdir(repo->git);
    const char *real = work_tree ? io_real_path(repo->arena, work_tree) : NULL;
    const char *top = arena_printf(repo->arena, "%s/", real ? real : "");
    if (strcmp(top, repo->top) == 0)
        return 0;
    (void)err_set(err, TG_REFUSED, "repository-form",
                  "the work tree of this repository is '%s', not '%s'", top, repo->top);
    return err_hint(err, "'git config core.worktree' says so: run tmplgen where .git lies");
}

/*
 * Between two commits of a series nothing but the list of what is left tells of it. libgit2 looks
 * at it only beside CHERRY_PICK_HEAD and REVERT_HEAD.
 */
static int series_state(int *out, const char *git_dir, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *path = arena_printf(&scratch, "%ssequencer/todo", git_dir);
    struct span text;
    bool there;
    if (disk_exists(&there, AT_FDCWD, path, err) < 0)
        return -1;
    if (!there)
        return 0;
    if (io_read_file(&text, &scratch, AT_FDCWD, path, LIMIT_MESSAGE_BYTES, err) < 0)
        return -1;
    *out = span_starts(text, "revert") ? GIT_REPOSITORY_STATE_REVERT_SEQUENCE
                                       : GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE;
    return 0;
}

int repo_state(int *out, git_repository *repository, struct err *err)
{
    static const char *const parts[] = {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
                                        "BISECT_LOG", "rebase-merge",     "rebase-apply"};
    ARENA_SCRATCH(scratch);
    bool any = false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        bool there;
        if (disk_exists(&there, AT_FDCWD,
                        arena_printf(&scratch, "%s%s", git_repository_path(repository), parts[i]),
                        err) < 0)
            return -1;
        any = any || there;
    }
    *out = git_repository_state(repository);
    if (!any && *out == GIT_REPOSITORY_STATE_NONE)
        return series_state(out, git_repository_path(repository), err);
    return any && *out == GIT_REPOSITORY_STATE_NONE
               ? err_set(err, TG_RUNTIME, "io", "cannot tell what git has under way")
               : 0;
}

static int read_head_text(struct repo *repo, struct err *err)
{
    struct span text;
    if (io_read_file(&text, repo->arena, repo->git_fd, "HEAD", LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    text = span_trim_end(text, "\n");
    repo->head_text = arena_memdup(repo->arena, text.ptr, text.len);
    if (str_starts(repo->head_text, "ref: ") &&
        io_is_special(repo->common_fd, repo->head_text + strlen("ref: ")))
        return err_set(err, TG_RUNTIME, "git", "the file of '%s' is no regular one",
                       repo->head_text + strlen("ref: "));
    return 0;
}

int repo_read_head(struct repo *repo, struct err *err)
{
    git_reference *head = NULL;
    struct commit commit;
    repo->branch = NULL;
    if (read_head_text(repo, err) < 0)
        return -1;
    int rc = git_repository_head(&head, repo->git);
    repo->unborn = rc == GIT_EUNBORNBRANCH || rc == GIT_ENOTFOUND;
    if (repo->unborn) { /* the first commit makes the branch */
        if (str_starts(repo->head_text, "ref: refs/heads/"))
            repo->branch = repo->head_text + strlen("ref: ");
        repo->head = repo->tree = (struct oid){{0}};
        return 0;
    }
    if (rc < 0)
        return git_fail(err, "cannot read HEAD");
    if (git_reference_is_branch(head))
        repo->branch = arena_strdup(repo->arena, git_reference_name(head));
    repo->head = oid_from(git_reference_target(head));
    git_reference_free(head);
    if (repo_commit(&commit, repo->arena, repo->store, &repo->head, err) < 0)
        return -1;
    repo->tree = commit.tree;
    return 0;
}

const struct oid *repo_tree(const struct repo *repo)
{
    return repo->unborn ? NULL : &repo->tree;
}

/* Whether `folder` ("" or "a/b/") has the file `marker`, on disk or in HEAD. */
static int has_marker(bool *out, const struct repo *repo, const char *folder, const char *marker,
                      struct err *err)
{
    const char *path = arena_printf(repo->arena, "%s%s", folder, marker);
    struct stat info;
    struct tree_entry leaf = {0};
    *out = fstatat(repo->top_fd, path, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*out && !repo->unborn && tree_find(&leaf, repo->store, &repo->tree, path, err) < 0)
        return -1;
    *out = *out || leaf.mode != LEAF_ABSENT;
    return 0;
}

static int find_project(struct repo *repo, const char *marker, struct err *err)
{
    char *folder = arena_printf(repo->arena, "%s/", repo->start);
    size_t top = strlen(repo->top);
    for (;;) {
        bool found;
        if (has_marker(&found, repo, folder + top, marker, err) < 0)
            return -1;
        if (found) {
            repo->prefix = folder + top;
            return 0;
        }
        size_t len = strlen(folder);
        if (len <= top)
            return 0;
        for (folder[--len] = '\0'; folder[len - 1] != '/'; len--)
            folder[len - 1] = '\0';
    }
}

static mode_t current_mask(void)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    return mask;
}

int repo_open(struct repo *repo, struct arena *arena, const char *path, const char *marker,
              struct err *err)
{
    struct repo_form form;
    *repo = (struct repo){
        .arena = arena, .top_fd = -1, .git_fd = -1, .common_fd = -1, .mask = current_mask()};
    if (find_start(&repo->start, arena, path, err) < 0 ||
        repo_form_check(&form, arena, repo->start, err) < 0)
        return -1;
    repo->git_dir = form.git_dir;
    repo->common_dir = form.common_dir;
    repo->top = form.top;
    if (open_folder(&repo->top_fd, repo->top, err) < 0 ||
        open_folder(&repo->git_fd, repo->git_dir, err) < 0 ||
        open_folder(&repo->common_fd, repo->common_dir, err) < 0 || open_git(repo, err) < 0 ||
        check_work_tree(repo, err) < 0 || repo_read_head(repo, err) < 0 ||
        find_project(repo, marker, err) < 0) {
        repo_close(repo);
        return -1;
    }
    return 0;
}

void repo_close(struct repo *repo)
{
    git_config_free(repo->config);
    git_repository_free(repo->git);
    store_free(repo->store);
    io_close_fd(&repo->top_fd);
    io_close_fd(&repo->git_fd);
    io_close_fd(&repo->common_fd);
    *repo = (struct repo){.top_fd = -1, .git_fd = -1, .common_fd = -1};
}

int repo_ref(struct oid *out, bool *found, const struct repo *repo, const char *name,
             struct err *err)
{
    git_reference *ref = NULL;
    git_object *commit = NULL;
    int rc = git_reference_lookup(&ref, repo->git, name);
    *found = rc == 0 && git_reference_peel(&commit, ref, GIT_OBJECT_COMMIT) == 0;
    if (*found)
        *out = oid_from(git_object_id(commit));
    git_object_free(commit);
    git_reference_free(ref);
    return rc < 0 && rc != GIT_ENOTFOUND ? git_fail(err, "cannot read '%s'", name) : 0;
}

mode_t repo_shared_mask(const char *value, mode_t mask)
{
    static const struct {
        const char *value;
        mode_t rights;
    } words[] = {{"group", 0770}, {"true", 0770}, {"1", 0770},     {"yes", 0770},      {"on", 0770},
                 {"all", 0775},   {"2", 0775},    {"world", 0775}, {"everybody", 0775}};
    char *end;
    for (size_t i = 0; value && i < sizeof(words) / sizeof(*words); i++)
        if (strcasecmp(value, words[i].value) == 0)
            return mask & ~words[i].rights;
    unsigned long mode = value ? strtoul(value, &end, 8) : 0;
    if ((mode & 0600) != 0600 || *end || mode > 0777)
        return mask;
    return 0777 & ~(mode_t)(mode | (mode & 0444) >> 2);
}

mode_t repo_shared_mode(const char *value, mode_t mask)
{
    bool is_shared = repo_shared_mask(value, 0777) != 0777;
    return is_shared ? 0666 & ~repo_shared_mask(value, mask) : 0;
}

/* Takes the line "KEY HEX\n" off `rest`. */
static bool take_id(struct oid *out, struct span *rest, const char *key)
{
    char hex[GIT_OID_HEXSZ + 1];
    size_t len = strlen(key), line = len + GIT_OID_HEXSZ + 1;
    if (rest->len < line || memcmp(rest->ptr, key, len) != 0 || rest->ptr[line - 1] != '\n')
        return false;
    memcpy(hex, rest->ptr + len, GIT_OID_HEXSZ);
    hex[GIT_OID_HEXSZ] = '\0';
    *rest = span_of(rest->ptr + line, rest->len - line);
    return oid_parse(out, hex) == 0;
}

int repo_commit(struct commit *out, struct arena *arena, const struct store *store,
                const struct oid *id, struct err *err)
{
    STORE_BYTES_SCRATCH(loaded);
    char hex[41];
    struct oid parent;
    oid_hex(hex, id);
    *out = (struct commit){0};
    if (store_get(&loaded, store, STORE_COMMIT, id, hex, err) < 0)
        return -1;
    struct span rest = loaded.bytes;
    if (!take_id(&out->tree, &rest, "tree "))
        return err_set(err, TG_RUNTIME, "git", "commit %s is damaged", hex);
    struct span parents = rest;
    while (take_id(&parent, &rest, "parent "))
        out->parent_count++;
    out->parents = arena_array(arena, out->parent_count + 1, sizeof(*out->parents));
    for (size_t i = 0; take_id(&parent, &parents, "parent "); i++)
        out->parents[i] = parent;
    return 0;
}

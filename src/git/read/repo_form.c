/* Checks whether tmplgen can read and write this form of repository. */
#include "git/repo_form.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "git/libgit2.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Extensions of repository format 1: libgit2 1.5 refuses all of them. */
static const struct {
    const char *key, *what, *way_out;
} extensions[] = {
    {"extensions.objectformat", "names its object format",
     "tmplgen reads repositories of SHA-1 objects, and libgit2 1.5 none that say so: 'git config "
     "--unset extensions.objectFormat' where it is sha1"},
    {"extensions.refstorage", "keeps its refs in another form than files",
     "'git refs migrate --ref-format=files' (git 2.46) brings them back"},
    {"extensions.partialclone", "is a partial clone",
     "'git fetch --refetch --no-filter' fetches everything, then 'git config --unset "
     "extensions.partialClone'"},
    {"extensions.worktreeconfig", "has a configuration for each work tree",
     "'git config core.repositoryFormatVersion 0' where no other extension is set"},
    {"extensions.preciousobjects", "forbids to delete objects",
     "'git config --unset extensions.preciousObjects'"},
    {"extensions.relativeworktrees", "has work trees with relative paths",
     "'git config --unset extensions.relativeWorktrees', then 'git worktree repair'"},
    {"extensions.compatobjectformat", "has objects of two formats",
     "tmplgen reads repositories of SHA-1 objects only"},
};

static int refuse(struct err *err, const char *top, const char *what, const char *way_out)
{
    (void)err_set(err, TG_REFUSED, "repository-form", "the repository '%s' %s", top, what);
    return err_hint(err, "%s", way_out);
}

static const char *with_slash(struct arena *arena, const char *path)
{
    return str_ends(path, "/") ? path : arena_printf(arena, "%s/", path);
}

static int make_real(const char **out, struct arena *arena, const char *path, struct err *err)
{
    const char *real = io_real_path(arena, path);
    if (!real)
        return err_errno(err, errno, "io", "cannot find the git folder '%s'", path);
    *out = with_slash(arena, real);
    return 0;
}

/* Reads a one-line file, and removes the `prefix` that it must start with. */
static int read_line(const char **out, struct arena *arena, const char *path, const char *prefix,
                     struct err *err)
{
    struct span text;
    if (io_read_file(&text, arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    size_t skip = strlen(prefix);
    text = span_trim_end(text, "\r\n");
    if (text.len < skip || memcmp(text.ptr, prefix, skip) != 0)
        return err_set(err, TG_RUNTIME, "git", "'%s' is damaged", path);
    *out = arena_memdup(arena, text.ptr + skip, text.len - skip);
    return 0;
}

/* Resolves "../x" relative to `folder`. */
static const char *from(struct arena *arena, const char *folder, const char *path)
{
    return *path == '/' ? path : arena_printf(arena, "%s/%s", folder, path);
}

/* `dot_git` is a folder, or a file with a folder's path. */
static int find_git_dir(struct repo_form *out, struct arena *arena, const char *folder,
                        const char *dot_git, const struct stat *info, struct err *err)
{
    const char *target = dot_git;
    if (!S_ISDIR(info->st_mode)) {
        if (read_line(&target, arena, dot_git, "gitdir: ", err) < 0)
            return -1;
        target = from(arena, folder, target);
    }
    if (make_real(&out->git_dir, arena, target, err) < 0)
        return -1;
    const char *common = arena_printf(arena, "%scommondir", out->git_dir);
    out->common_dir = out->git_dir;
    if (access(common, F_OK) < 0)
        return errno == ENOENT ? 0 : err_errno(err, errno, "io", "cannot look for '%s'", common);
    if (read_line(&target, arena, common, "", err) < 0)
        return -1;
    return make_real(&out->common_dir, arena, from(arena, out->git_dir, target), err);
}

/* Returns 1 if there is a repository, 0 if there is none. */
static int can_look_at(const char *folder, struct err *err)
{
    static const char *const parts[] = {"", "/HEAD", "/objects", "/refs"};
    ARENA_SCRATCH(scratch);
    int found = 1;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        const char *path = arena_printf(&scratch, "%s/.git%s", folder, parts[i]);
        struct stat info;
        if (stat(path, &info) == 0)
            continue;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP)
            return err_errno(err, errno, "io", "cannot look for '%s'", path);
        found = 0;
    }
    return found;
}

/* Whether git does not search above `folder` (GIT_CEILING_DIRECTORIES). */
static bool is_ceiling(const char *folder)
{
    const char *list = getenv("GIT_CEILING_DIRECTORIES");
    size_t len = strlen(folder);
    for (const char *at = list; at && *at; at += strspn(at, ":")) {
        size_t one = strcspn(at, ":");
        if (one == len && strncmp(at, folder, len) == 0)
            return true;
        at += one;
    }
    return false;
}

int repo_form_can_look(const char *start, struct err *err)
{
    ARENA_SCRATCH(scratch);
    char *folder = arena_strdup(&scratch, start);
    struct stat first, here;
    if (stat(start, &first) < 0)
        return err_errno(err, errno, "io", "cannot look at '%s'", start);
    for (;;) {
        int found = can_look_at(folder, err);
        char *slash = strrchr(folder, '/');
        if (found != 0 || !slash || slash == folder)
            return found < 0 ? -1 : 0;
        *slash = '\0';
        if (is_ceiling(folder) || stat(folder, &here) < 0 || here.st_dev != first.st_dev)
            return 0;
    }
}

static int find_repository(struct repo_form *out, struct arena *arena, const char *start,
                           struct err *err)
{
    char *folder = arena_strdup(arena, start);
    for (;;) {
        const char *dot_git = arena_printf(arena, "%s/.git", folder);
        struct stat info;
        if (stat(dot_git, &info) == 0) {
            out->top = with_slash(arena, folder);
            return find_git_dir(out, arena, folder, dot_git, &info, err);
        }
        if (errno != ENOENT && errno != ENOTDIR)
            return err_errno(err, errno, "io", "cannot look for '%s'", dot_git);
        char *slash = strrchr(folder, '/');
        if (!slash || folder[0] == '\0')
            break;
        *slash = '\0';
    }
    (void)err_set(err, TG_REFUSED, "no-repository", "'%s' lies in no git repository", start);
    return err_hint(err, "'git init' and commit first: an update is a commit");
}

static int no_file(const char *path, struct err *err)
{
    return err_set(err, TG_RUNTIME, "git", "'%s' is no regular file", path);
}

/* Refuses pipes: libgit2 would wait for a writer for ever. */
static int check_kinds(const struct repo_form *out, struct arena *arena, struct err *err)
{
    static const char *const names[] = {
        "config",          "config.worktree",        "HEAD", "index", "packed-refs",
        "info/attributes", "objects/info/alternates"};
    const char *folders[] = {out->git_dir, out->common_dir};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
            const char *path = arena_printf(arena, "%s%s", folders[i], names[k]);
            if (io_is_special(AT_FDCWD, path))
                return no_file(path, err);
        }
    const char *attributes = arena_printf(arena, "%s.gitattributes", out->top);
    return io_is_special(AT_FDCWD, attributes) ? no_file(attributes, err) : 0;
}

static int check_format(git_config *config, const char *top, struct err *err)
{
    int32_t version = 0;
    int bare = 0;
    const char *value;
    (void)git_config_get_int32(&version, config, "core.repositoryformatversion");
    if (version > 1)
        return refuse(err, top, "has a format from the future", "a newer tmplgen may know it");
    if (git_config_get_bool(&bare, config, "core.bare") == 0 && bare)
        return refuse(err, top, "is bare", "run tmplgen in a clone with a work tree");
    for (size_t i = 0; version == 1 && i < sizeof(extensions) / sizeof(*extensions); i++)
        if (git_config_get_string(&value, config, extensions[i].key) == 0)
            return refuse(err, top, extensions[i].what, extensions[i].way_out);
    return 0;
}

int repo_form_check(struct repo_form *out, struct arena *arena, const char *start, struct err *err)
{
    git_config *config = NULL, *snapshot = NULL;
    if (git_start(err) < 0 || find_repository(out, arena, start, err) < 0 ||
        check_kinds(out, arena, err) < 0)
        return -1;
    int rc = git_config_open_ondisk(&config, arena_printf(arena, "%sconfig", out->common_dir));
    if (rc == 0)
        rc = git_config_snapshot(&snapshot, config);
    rc = rc < 0 ? git_fail(err, "cannot read the configuration of '%s'", out->top)
                : check_format(snapshot, out->top, err);
    git_config_free(snapshot);
    git_config_free(config);
    return rc;
}

int repo_form_explain(const char *top, struct err *err)
{
    struct stat info;
    (void)git_fail(err, "cannot open the repository '%s'", top);
    if (strstr(err->message, "unsupported extension"))
        return refuse(err, top, "has an extension that tmplgen does not know",
                      "'git config --get-regexp ^extensions' names it");
    if (stat(top, &info) < 0 || info.st_uid == geteuid())
        return -1;
    ARENA_SCRATCH(scratch);
    const char *folder = arena_memdup(&scratch, top, strlen(top) - 1);
    const char *hint = arena_printf(
        &scratch, "if you trust it: %s",
        shell_command(&scratch, "git config --global --add safe.directory %s", folder));
    return refuse(err, top, "belongs to another user", hint);
}

int repo_form_explain_index(struct err *err)
{
    static const struct {
        const char *reason, *what, *way_out;
    } forms[] = {
        {"'link'", "has a split index", "'git update-index --no-split-index' makes it whole"},
        {"'sdir'", "has a sparse index",
         "'git sparse-checkout reapply --no-sparse-index' makes it "
         "full"},
        {"checksum", "has an index without its checksum",
         "'git config index.skipHash false', then 'git update-index --force-write-index'"},
    };
    (void)git_fail(err, "cannot read the index");
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (strstr(err->message, forms[i].reason))
            return refuse(err, ".", forms[i].what, forms[i].way_out);
    return -1;
}

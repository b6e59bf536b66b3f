/* Creates repositories before any other process sees them: no locks, no atomic replacement. */
#include "git/new_repo.h"

#include "base/arena.h"
#include "base/str.h"
#include "git/commit.h"
#include "git/disk_entry.h"
#include "git/libgit2.h"
#include "git/repo.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADS "refs/heads/"

static const char *const folders[] = {
    ".git/hooks", ".git/objects/info", ".git/objects/pack", ".git/refs/heads", ".git/refs/tags",
};

static const struct {
    const char *path, *text;
} texts[] = {
    {".git/description",
     "Unnamed repository; edit this file 'description' to name the repository.\n"},
    {".git/info/exclude", "# File patterns to ignore; see `git help ignore` for more information.\n"
                          "# Lines that start with '#' are comments.\n"},
};

/* init.defaultBranch from the configuration of the user or the system. */
static int branch_of_user(const char **out, struct arena *arena, struct err *err)
{
    git_config *config = NULL, *snapshot = NULL;
    const char *name = NULL;
    int valid = 0;
    if (git_config_open_default(&config) < 0 || git_config_snapshot(&snapshot, config) < 0) {
        git_config_free(config);
        return git_fail(err, "cannot read git's configuration");
    }
    if (git_config_get_string(&name, snapshot, "init.defaultbranch") < 0 || !*name)
        name = "master";
    *out = arena_printf(arena, HEADS "%s", name);
    git_config_free(snapshot);
    git_config_free(config);
    if (git_reference_name_is_valid(&valid, *out) < 0 || !valid) {
        (void)err_set(err, TG_RUNTIME, "git", "init.defaultBranch: '%s' is no name of a branch",
                      *out + strlen(HEADS));
        return err_hint(err, "correct it: git config --global init.defaultBranch main");
    }
    return 0;
}

/* Whether the file system keeps the executable bit. */
static bool keeps_mode(int top, const char *path)
{
    struct stat before, after;
    return fstatat(top, path, &before, 0) == 0 &&
           fchmodat(top, path, before.st_mode ^ S_IXUSR, 0) == 0 &&
           fstatat(top, path, &after, 0) == 0 && before.st_mode != after.st_mode &&
           fchmodat(top, path, before.st_mode, 0) == 0;
}

static bool keeps_links(int top)
{
    static const char name[] = ".git/link";
    struct stat info;
    bool link = symlinkat("testing", top, name) == 0 &&
                fstatat(top, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    (void)unlinkat(top, name, 0);
    return link;
}

/* Writes the settings by which `git init` describes the file system. */
static int write_config(struct io_maker *maker, struct arena *arena, struct err *err)
{
    int top = maker->top;
    bool modes = keeps_mode(top, ".git/HEAD"), links = keeps_links(top);
    bool any_case = disk_ignores_case(top);
    const char *text =
        arena_printf(arena,
                     "[core]\n\trepositoryformatversion = 0\n\tfilemode = %s\n\tbare = false\n"
                     "\tlogallrefupdates = true\n%s%s",
                     modes ? "true" : "false", links ? "" : "\tsymlinks = false\n",
                     any_case ? "\tignorecase = true\n" : "");
    return io_make(maker, ".git/config", span_from(text), false, err);
}

int new_repo_init(git_repository **out, const char **branch, struct arena *arena,
                  struct io_maker *maker, const char *folder, struct err *err)
{
    if (git_start(err) < 0 || (!*branch && branch_of_user(branch, arena, err) < 0))
        return -1;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        if (io_make_folder(maker, folders[i], err) < 0)
            return -1;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (io_make(maker, texts[i].path, span_from(texts[i].text), false, err) < 0)
            return -1;
    const char *head = arena_printf(arena, "ref: %s\n", *branch);
    if (io_make(maker, ".git/HEAD", span_from(head), false, err) < 0 ||
        write_config(maker, arena, err) < 0)
        return -1;
    if (git_repository_open(out, folder) < 0)
        return git_fail(err, "cannot make a repository in '%s'", folder);
    return 0;
}

int new_repo_ref(struct io_maker *maker, const char *name, const struct oid *commit,
                 struct err *err)
{
    ARENA_SCRATCH(scratch);
    char hex[42];
    oid_hex(hex, commit);
    memcpy(hex + 40, "\n", 2);
    return io_make(maker, arena_printf(&scratch, ".git/%s", name), span_from(hex), false, err);
}

int new_repo_branch(struct io_maker *maker, const char *branch, const struct oid *commit,
                    const struct identity *who, const char *subject, struct err *err)
{
    static const struct oid none;
    ARENA_SCRATCH(scratch);
    char old[41], new[41];
    oid_hex(old, &none);
    oid_hex(new, commit);
    struct span line =
        span_from(arena_printf(&scratch, "%s %s %s\t%s\n", old, new, who->committer, subject));
    if (new_repo_ref(maker, branch, commit, err) < 0 ||
        io_make(maker, ".git/logs/HEAD", line, false, err) < 0)
        return -1;
    return io_make(maker, arena_printf(&scratch, ".git/logs/%s", branch), line, false, err);
}

int new_repo_checkout(git_repository *repository, struct err *err)
{
    git_checkout_options options;
    (void)git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
    options.checkout_strategy = GIT_CHECKOUT_FORCE;
    return git_checkout_head(repository, &options) < 0 ? git_fail(err, "cannot check out the files")
                                                       : 0;
}

void new_repo_close(git_repository *repository)
{
    git_repository_free(repository);
}

/* Places to sync, without duplicates. */
struct sync_list {
    struct arena *arena;
    int top;
    struct io_place *places;
    size_t count;
};

static void add_place(struct sync_list *list, const char *path)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->places[i].path, path) == 0)
            return;
    arena_push(list->arena, list->places, list->count) = (struct io_place){list->top, path};
}

/* Adds a file and its parent folders. */
static void add_file(struct sync_list *list, const char *path)
{
    add_place(list, path);
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        add_place(list, arena_memdup(list->arena, path, (size_t)(slash - path)));
}

int new_repo_sync(const struct io_maker *maker, const char *pack, const char *branch,
                  const char *ref, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct sync_list list = {.arena = &scratch, .top = maker->top};
    const char *files[] = {arena_printf(&scratch, ".git/objects/pack/%s.pack", pack),
                           arena_printf(&scratch, ".git/objects/pack/%s.idx", pack),
                           arena_printf(&scratch, ".git/%s", branch),
                           arena_printf(&scratch, ".git/%s", ref),
                           ".git/HEAD",
                           ".git/config",
                           ".git/index"};
    add_place(&list, ".");
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        add_file(&list, files[i]);
    return io_sync(list.places, list.count, err);
}

/* ---------------------------------------------------------------- bare repositories */

static int put_bare(const char *path, const char *text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot make '%s'", path);
    int rc = io_write_all(fd, span_from(text));
    if (close(fd) < 0 || rc < 0)
        return err_errno(err, errno, "io", "cannot write '%s'", path);
    return 0;
}

int new_repo_bare(const char *folder, struct err *err)
{
    static const char *const parts[] = {"", "/objects", "/objects/pack", "/refs"};
    ARENA_SCRATCH(scratch);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        const char *path = arena_printf(&scratch, "%s%s", folder, parts[i]);
        if (mkdir(path, 0700) < 0)
            return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    }
    if (put_bare(arena_printf(&scratch, "%s/HEAD", folder), "ref: refs/heads/none\n", err) < 0)
        return -1;
    return put_bare(arena_printf(&scratch, "%s/config", folder),
                    "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", err);
}

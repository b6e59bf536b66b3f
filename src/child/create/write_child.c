/* Puts a rendered child on disk: builds it in a folder beside the target, then moves it there. */
#include "child/write_child.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/parallel.h"
#include "catalog/render.h"
#include "child/create/first_commit.h"
#include "git/disk_entry.h"
#include "git/libgit2.h"
#include "git/repo_form.h"
#include "io/interrupt.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PORTIONS = 8 }; /* of the files, written at the same time */

/* The files and folders made so far, so that a failure can remove them. */
struct builder {
    struct arena *arena;
    const struct create_target *target;
    const char *staging;     /* absolute path of the folder that is built */
    const char *made_folder; /* topmost missing parent of the target that the run made, or NULL */
    struct io_maker maker;   /* of the files in the staging folder */
    const char **moved;      /* names moved up into an existing empty target */
    size_t moved_count;
    bool target_made; /* the target was missing before, and exists now */
    struct err *err;
};

static const char *parent_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? "/" : arena_memdup(arena, path, (size_t)(slash - path));
}

int create_absolute(const char **out, struct arena *arena, const char *path, struct err *err)
{
    *out = io_real_path(arena, path);
    if (*out)
        return 0;
    if (errno != ENOENT)
        return err_errno(err, errno, "io", "cannot use the path '%s'", path);
    char *copy = arena_strdup(arena, path);
    for (size_t len = strlen(copy); len > 1 && copy[len - 1] == '/'; len--)
        copy[len - 1] = '\0';
    char *slash = strrchr(copy, '/');
    const char *last = slash ? slash + 1 : copy;
    const char *above = !slash ? "." : slash == copy ? "/" : (*slash = '\0', copy);
    if (strcmp(last, ".") == 0 || strcmp(last, "..") == 0 || !*last)
        return err_set(err, TG_USAGE, "invalid-path", "there is no folder '%s'", path);
    const char *parent;
    if (create_absolute(&parent, arena, above, err) < 0)
        return -1;
    *out = arena_printf(arena, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, last);
    return 0;
}

static int refuse_target(struct err *err, const char *path, const char *why)
{
    (void)err_set(err, TG_REFUSED, "target-not-empty", "'%s' %s", path, why);
    return err_hint(err, "give another path, or move what is there away");
}

static int look_at(struct create_target *out, const char *path, struct err *err)
{
    struct stat info;
    bool empty;
    if (lstat(path, &info) < 0) {
        if (errno == ENOENT)
            return 0;
        return err_errno(err, errno, "io", "cannot look at '%s'", path);
    }
    if (S_ISLNK(info.st_mode))
        return refuse_target(err, path, "is a link");
    if (!S_ISDIR(info.st_mode))
        return refuse_target(err, path, "is a file");
    if (io_is_empty(&empty, path, ".git", err) < 0)
        return -1;
    out->exists = true;
    return empty ? 0 : refuse_target(err, path, "is not empty");
}

/* Finds the repository around the target, or around the nearest folder above it that exists. */
static int find_repository(struct create_target *out, struct arena *arena, struct err *err)
{
    git_buf found = GIT_BUF_INIT;
    struct stat info;
    const char *start = out->path;
    while (lstat(start, &info) < 0 && strcmp(start, "/") != 0) {
        if (errno != ENOENT)
            return err_errno(err, errno, "io", "cannot look at '%s'", start);
        start = parent_of(arena, start);
    }
    if (repo_form_can_look(start, err) < 0)
        return -1;
    int rc = git_repository_discover(&found, start, 0, getenv("GIT_CEILING_DIRECTORIES"));
    if (rc == 0)
        out->repository = arena_strdup(arena, found.ptr);
    git_buf_dispose(&found);
    if (rc < 0 && rc != GIT_ENOTFOUND)
        return git_fail(err, "cannot tell whether '%s' lies in a repository", out->path);
    const char *inside = arena_printf(arena, "%s/", out->path);
    if (out->repository && strncmp(inside, out->repository, strlen(out->repository)) == 0)
        return err_set(err, TG_REFUSED, "unsafe-path", "'%s' lies inside git's own folder '%s'",
                       out->path, out->repository);
    return 0;
}

int create_inspect(struct create_target *out, struct arena *arena, const char *path,
                   struct err *err)
{
    struct stat info;
    *out = (struct create_target){0};
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *trimmed = arena_memdup(arena, path, len);
    if (lstat(trimmed, &info) == 0 && S_ISLNK(info.st_mode))
        return refuse_target(err, trimmed, "is a link");
    if (git_start(err) < 0 || create_absolute(&out->path, arena, trimmed, err) < 0 ||
        look_at(out, out->path, err) < 0)
        return -1;
    return find_repository(out, arena, err);
}

enum { TRIES_MAX = 100 };

/* Like mkdtemp, but with the umask's permissions: not every file system can change them. */
static int make_fresh(const char **out, struct arena *arena, const char *start)
{
    for (int i = 0; i < TRIES_MAX; i++) {
        *out = arena_printf(arena, "%s.tmplgen-%06x", start, (unsigned)io_random() & 0xffffffU);
        if (mkdir(*out, 0777) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return -1;
}

/* Makes a new folder: beside the target where that is missing, inside it where it exists. */
static int make_staging(struct builder *b)
{
    const char *parent = parent_of(b->arena, b->target->path);
    const char *name = strrchr(b->target->path, '/') + 1;
    const char *start =
        b->target->exists
            ? arena_printf(b->arena, "%s/", b->target->path)
            : arena_printf(b->arena, "%s/.%.100s", strcmp(parent, "/") == 0 ? "" : parent, name);
    if (!b->target->exists && io_make_folders(&b->made_folder, b->arena, parent, b->err) < 0)
        return -1;
    if (make_fresh(&b->staging, b->arena, start) < 0) {
        b->staging = NULL;
        return err_errno(b->err, errno, "io", "cannot write in the folder '%s'",
                         b->target->exists ? b->target->path : parent);
    }
    b->maker.top = open(b->staging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (b->maker.top < 0)
        return err_errno(b->err, errno, "io", "cannot use the folder '%s'", b->staging);
    return 0;
}

/* Some of the files, which lie next to each other. */
struct portion {
    const struct builder *builder;
    const struct render *render;
    size_t first, end;
    atomic_bool *stop; /* one of them failed: the others stop, too */
    struct err err;
    bool failed;
};

static void write_portion(void *context, size_t number)
{
    struct portion *p = (struct portion *)context + number;
    struct io_maker maker = IO_MAKER_INIT(p->builder->maker.top);
    for (size_t i = p->first; !atomic_load(p->stop) && i < p->end; i++) {
        const struct render_entry *entry = &p->render->entries[i];
        p->failed = interrupt_check(&p->err) < 0 ||
                    io_make(&maker, entry->path, entry->bytes, entry->executable, &p->err) < 0;
        if (p->failed)
            atomic_store(p->stop, true);
    }
    io_maker_release(&maker);
}

/* Writes portions at the same time: where making a file takes long, most of that is waiting. */
static int write_files(struct builder *b, const struct render *render, struct span record)
{
    struct portion portions[PORTIONS];
    atomic_bool stop = false;
    int rc = 0;
    for (size_t i = 0; i < PORTIONS; i++)
        portions[i] = (struct portion){.builder = b,
                                       .render = render,
                                       .stop = &stop,
                                       .first = render->count * i / PORTIONS,
                                       .end = render->count * (i + 1) / PORTIONS};
    parallel_run(PORTIONS, PORTIONS, write_portion, portions);
    for (size_t i = 0; i < PORTIONS; i++) {
        if (rc == 0 && portions[i].failed) {
            *b->err = portions[i].err;
            rc = -1;
        } else {
            err_release(&portions[i].err);
        }
    }
    return rc < 0 ? -1 : io_make(&b->maker, RECORD_PATH, record, false, b->err);
}

struct synced {
    const struct builder *builder;
    struct io_place *places;
    size_t count;
};

static void add_synced(struct synced *s, const char *path)
{
    arena_push(s->builder->arena, s->places, s->count) =
        (struct io_place){s->builder->maker.top, path};
}

/* Adds the folders of `path` that `last` does not have. */
static void add_folders(struct synced *s, const char *path, const char *last)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t len = (size_t)(slash - path);
        if (strncmp(path, last, len + 1) != 0)
            add_synced(s, arena_memdup(s->builder->arena, path, len));
    }
}

/* Without a repository of its own: syncs each file and folder, before they get their names. */
static int sync_files(const struct builder *b, const struct render *render)
{
    struct synced s = {.builder = b};
    for (size_t i = 0; i < render->count; i++) {
        add_synced(&s, render->entries[i].path);
        add_folders(&s, render->entries[i].path, i ? render->entries[i - 1].path : "");
    }
    add_synced(&s, RECORD_PATH);
    add_synced(&s, ".");
    return io_sync(s.places, s.count, b->err);
}

static int move_name(struct builder *b, int target, const char *name)
{
    if (io_claim(b->maker.top, name, target, name) < 0)
        return err_errno(b->err, errno, "io", "cannot move '%s' into '%s'", name, b->target->path);
    arena_push(b->arena, b->moved, b->moved_count) = name;
    return 0;
}

static int move_all(struct builder *b, int target)
{
    IO_DIR_SCRATCH(dir) = io_open_dir(b->maker.top, ".");
    struct dirent *entry;
    while (dir && (entry = io_next(dir)))
        if (move_name(b, target, arena_strdup(b->arena, entry->d_name)) < 0)
            return -1;
    return dir && !errno ? 0 : err_errno(b->err, errno, "io", "cannot read '%s'", b->staging);
}

/*
 * Moves the child name by name into a target that existed before: the folder itself stays. The
 * repository goes first, durably: if a power cut takes the other files, it still has them.
 */
static int move_up(struct builder *b)
{
    struct stat info;
    IO_FD_SCRATCH(target) = open(b->target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (target < 0)
        return err_errno(b->err, errno, "io", "cannot open '%s'", b->target->path);
    if (fstatat(b->maker.top, ".git", &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        (move_name(b, target, ".git") < 0 || disk_sync_folder(target, b->target->path, b->err) < 0))
        return -1;
    return move_all(b, target) < 0 ? -1 : disk_sync_folder(target, b->target->path, b->err);
}

/* Makes the names of the target, and of the folders made for it, survive a power cut. */
static int sync_way(const struct builder *b)
{
    const char *last = b->made_folder ? b->made_folder : b->target->path, *folder;
    struct io_place *places = NULL;
    size_t count = 0;
    for (const char *path = b->target->path;; path = folder) {
        folder = parent_of(b->arena, path);
        arena_push(b->arena, places, count) = (struct io_place){AT_FDCWD, folder};
        if (strcmp(path, last) == 0)
            return io_sync(places, count, b->err);
    }
}

static int move_into_place(struct builder *b)
{
    if (interrupt_check(b->err) < 0)
        return -1;
    if (b->target->exists) {
        if (move_up(b) < 0)
            return -1;
        (void)rmdir(b->staging);
        return 0;
    }
    if (io_move_new(AT_FDCWD, b->staging, AT_FDCWD, b->target->path) < 0)
        return errno == EEXIST
                   ? refuse_target(b->err, b->target->path, "has appeared meanwhile")
                   : err_errno(b->err, errno, "io", "cannot make '%s'", b->target->path);
    b->target_made = true;
    return sync_way(b);
}

static void unmake(const struct builder *b)
{
    IO_FD_SCRATCH(target) =
        b->moved_count ? open(b->target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    for (size_t i = 0; target >= 0 && i < b->moved_count; i++)
        io_remove(target, b->moved[i]);
    if (b->staging)
        io_remove(AT_FDCWD, b->staging);
    if (b->target_made)
        io_remove(AT_FDCWD, b->target->path);
    if (b->made_folder)
        io_remove(AT_FDCWD, b->made_folder);
}

/* Either the target gets everything made so far, or nothing is left. */
static int finish(struct builder *b, int rc)
{
    if (rc < 0)
        unmake(b);
    io_maker_release(&b->maker);
    io_close_fd(&b->maker.top);
    return rc;
}

int create_folder(struct arena *arena, const struct create_target *target, create_fill *fill,
                  void *context, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct builder b = {.arena = arena, .target = target, .maker = IO_MAKER_INIT(-1), .err = err};
    int rc = make_staging(&b);
    if (rc == 0)
        rc = fill(context, &b.maker, b.staging, err);
    if (rc == 0)
        rc = move_into_place(&b);
    return finish(&b, rc);
}

int create_child(struct created *out, struct arena *arena, const struct create_target *target,
                 const struct render *render, struct span record,
                 const struct create_options *options, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    if (budget_check(err) < 0)
        return -1;
    struct builder b = {.arena = arena, .target = target, .maker = IO_MAKER_INIT(-1), .err = err};
    bool own_repository = !options->no_git && !target->repository;
    *out = (struct created){0};
    struct root_commit *root = NULL;
    int rc = make_staging(&b);
    if (rc == 0 && own_repository)
        rc = commit_root_begin(&root, arena, &b.maker, b.staging, render, record, options->proof,
                               options->message, err);
    if (rc == 0)
        rc = write_files(&b, render, record);
    if (rc == 0)
        rc = own_repository ? commit_root_end(out, root) : sync_files(&b, render);
    if (rc == 0)
        rc = move_into_place(&b);
    if (rc == 0 && !own_repository && !options->no_git && options->commit)
        rc = commit_inside(out, arena, target, render, record, options->message, err);
    commit_root_release(root);
    return finish(&b, rc);
}

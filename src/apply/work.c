/* tmplgen's folder in git's: the lock of updates, the journals, and what is prepared. */
#include "apply/work.h"

#include "apply/journal.h"
#include "base/arena.h"
#include "git/repo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int apply_moved(struct err *err, const char *what)
{
    (void)err_set(err, TG_REFUSED, "changed-meanwhile", "%s changed while the update ran", what);
    return err_hint(err, "run it again");
}

void apply_keep(struct apply *a, const char *path)
{
    for (size_t i = 0; i < a->kept_count; i++)
        if (strcmp(a->kept[i], path) == 0)
            return;
    a->kept = arena_grow(a->arena, a->kept, a->kept_count, sizeof(*a->kept));
    a->kept[a->kept_count++] = path;
}

size_t apply_kept(const char *const **paths, const struct apply *a)
{
    *paths = a->kept;
    return a->kept_count;
}

static int make_folder(int *fd, int at, struct err *err)
{
    if (mkdirat(at, APPLY_FOLDER, 0777) < 0 && errno != EEXIST)
        return err_errno(err, errno, "io", "cannot make a folder in git's folder");
    *fd = openat(at, APPLY_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open tmplgen's folder in git's") : 0;
}

static int take_turn(struct apply *a, struct err *err)
{
    a->lock = openat(a->common, TOKEN, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (a->lock < 0)
        return err_errno(err, errno, "io", "cannot open the lock of updates");
    if (flock(a->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno != EWOULDBLOCK)
        return err_errno(err, errno, "io", "cannot take the lock of updates");
    (void)err_set(err, TG_REFUSED, "busy", "another tmplgen is updating this repository");
    return err_hint(err, "wait until it is done");
}

int apply_open(struct apply **out, struct arena *arena, struct repo *repo, struct err *err)
{
    struct apply *a = arena_alloc(arena, sizeof(*a));
    *a = (struct apply){.arena = arena,
                        .repo = repo,
                        .lock = -1,
                        .common = -1,
                        .folder = -1,
                        .work = -1,
                        .stage = -1};
    *out = a;
    a->path = arena_printf(arena, "%s" APPLY_FOLDER "/", repo->git_dir);
    if (make_folder(&a->common, repo->common_fd, err) < 0 || take_turn(a, err) < 0 ||
        make_folder(&a->folder, repo->git_fd, err) < 0) {
        apply_close(a);
        *out = NULL;
        return -1;
    }
    return 0;
}

void apply_close(struct apply *a)
{
    if (!a)
        return;
    work_close(a);
    int fds[] = {a->folder, a->common, a->lock};
    for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    a->folder = a->common = a->lock = -1;
}

/* ---------------------------------------------------------------- what is prepared */

const char *work_ref_name(struct arena *arena, size_t number)
{
    return arena_printf(arena, "ref.%zu", number);
}

static const char *work_name(const struct journal *j)
{
    return j->kind == JOURNAL_COMMIT ? WORK_COMMIT : WORK;
}

/* Never through a link at its place. `path` has no '/' at its end: with one, links are followed. */
int work_open_folder(int *fd, const char *path, struct err *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open the folder '%s'", path) : 0;
}

int work_open(struct apply *a, const struct journal *j, struct err *err)
{
    work_close(a);
    const char *work = arena_printf(a->arena, "%s%s", a->path, work_name(j));
    a->work_path = arena_printf(a->arena, "%s/", work);
    if (work_open_folder(&a->work, work, err) < 0 || work_open_folder(&a->stage, j->stage, err) < 0)
        return -1;
    a->swap = (struct swap){.arena = a->arena,
                            .top = a->repo->top_fd,
                            .stage = a->stage,
                            .modes_count = repo_flag(a->repo, "core.filemode", true),
                            .store = a->repo->store};
    return 0;
}

void work_close(struct apply *a)
{
    if (a->work >= 0)
        (void)close(a->work);
    if (a->stage >= 0)
        (void)close(a->stage);
    a->work = a->stage = -1;
}

void work_empty(int folder)
{
    DIR *dir = fdopendir(fcntl(folder, F_DUPFD_CLOEXEC, 0));
    struct dirent *entry;
    if (!dir)
        return;
    rewinddir(dir);
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(folder, entry->d_name, 0);
    (void)closedir(dir);
}

void work_remove(struct apply *a, const struct journal *j)
{
    if (a->work < 0)
        return;
    work_empty(a->work);
    work_close(a);
    (void)rmdir(j->stage);
    (void)rmdir(a->work_path);
}

/* Files are exchanged by rename, so they are staged on the file system of the work tree. */
int work_choose_stage(const struct apply *a, struct journal *j, struct err *err)
{
    struct stat here, there;
    if (fstat(a->folder, &here) < 0 || fstat(a->repo->top_fd, &there) < 0)
        return err_errno(err, errno, "io", "cannot look at the work tree");
    j->stage = here.st_dev == there.st_dev || j->kind == JOURNAL_COMMIT
                   ? arena_printf(a->arena, "%s%s/" STAGE, a->path, work_name(j))
                   : arena_printf(a->arena, "%s" FALLBACK_STAGE, a->repo->top);
    return 0;
}

void work_tidy(struct apply *a, const struct journal *j)
{
    ERR_SCRATCH(ignored);
    struct journal leftover = *j;
    struct stat info;
    if (fstatat(a->folder, work_name(j), &info, AT_SYMLINK_NOFOLLOW) < 0 ||
        work_choose_stage(a, &leftover, &ignored) < 0 || work_open(a, &leftover, &ignored) < 0)
        return;
    work_empty(a->stage);
    work_remove(a, &leftover);
}

/* tmplgen's folder in git's: the lock of updates, the journals, and what is prepared. */
#include "apply/work_folder.h"

#include "apply/journal.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "git/disk_entry.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/shared_repo.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
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
    if (mkdirat(at, APPLY_FOLDER, 0777) == 0) {
        if (disk_sync_folder(at, "git's folder", err) < 0)
            return -1;
    } else if (errno != EEXIST) {
        return err_errno(err, errno, "io", "cannot make a folder in git's folder");
    }
    *fd = openat(at, APPLY_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open tmplgen's folder in git's") : 0;
}

/* "tmplgen ", 32 hexadecimal digits and a newline: no text that git writes into a lock. */
enum { TOKEN_BYTES = 16 };
#define TOKEN_START "tmplgen "
#define TOKEN_LEN (sizeof(TOKEN_START) - 1 + 2 * TOKEN_BYTES + 1)

static bool is_token(struct span text)
{
    return text.len == TOKEN_LEN && memcmp(text.ptr, TOKEN_START, strlen(TOKEN_START)) == 0 &&
           text.ptr[text.len - 1] == '\n';
}

int work_read_token(const char **out, struct arena *arena, const struct repo *repo, struct err *err)
{
    static const char path[] = APPLY_FOLDER "/" TOKEN;
    struct span text;
    bool there;
    *out = NULL;
    if (disk_exists(&there, repo->common_fd, path, err) < 0)
        return -1;
    if (!there)
        return 0;
    if (io_read_file(&text, arena, repo->common_fd, path, LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    if (is_token(text))
        *out = arena_memdup(arena, text.ptr, text.len);
    return 0;
}

static int make_token(struct apply *a, struct err *err)
{
    unsigned char bytes[TOKEN_BYTES];
    const char *text = TOKEN_START;
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return err_errno(err, errno, "io", "cannot get random bytes");
    for (size_t i = 0; i < sizeof(bytes); i++)
        text = arena_printf(a->arena, "%s%02x", text, bytes[i]);
    a->token = arena_printf(a->arena, "%s\n", text);
    return 0;
}

/* That of a journal which outlived the file, in a copy that went without it; or NULL. */
static int token_of_journals(const char **out, const struct apply *a, struct err *err)
{
    static const char *const names[] = {APPLY_JOURNAL, APPLY_ABORT, APPLY_ENDED, APPLY_PENDING};
    struct journal left;
    bool found;
    *out = NULL;
    for (size_t i = 0; !*out && i < sizeof(names) / sizeof(*names); i++) {
        if (journal_read(&left, &found, a->arena, a->folder, names[i], NULL, err) < 0)
            return -1;
        if (found && is_token(span_from(left.token)))
            *out = left.token;
    }
    return 0;
}

/* Written in place: the locks that 0.2 took are other names of this file. */
static int settle_token(struct apply *a, struct err *err)
{
    if (work_read_token(&a->token, a->arena, a->repo, err) < 0)
        return -1;
    if (a->token)
        return 0;
    if (token_of_journals(&a->token, a, err) < 0 || (!a->token && make_token(a, err) < 0))
        return -1;
    if (ftruncate(a->lock, 0) < 0 || io_write_all(a->lock, span_from(a->token)) < 0 ||
        io_fsync(a->lock) < 0)
        return err_errno(err, errno, "io", "cannot write the lock of updates");
    return disk_sync_folder(a->common, "the lock of updates", err);
}

static int take_turn(struct apply *a, struct err *err)
{
    a->lock = openat(a->common, TOKEN, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (a->lock < 0)
        return err_errno(err, errno, "io", "cannot open the lock of updates");
    if (flock(a->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == ENOLCK || errno == ENOSYS || io_is_unsupported(errno)) {
        (void)err_set(err, TG_REFUSED, "file-system",
                      "cannot take the lock of updates: this file system has no locks (%s)",
                      strerror(errno));
        return err_hint(err, "nothing was changed; put the repository on another file system, or "
                             "have its locks served");
    }
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
                        .stage = -1,
                        .mask =
                            shared_repo_mask(repo_text(repo, "core.sharedrepository"), repo->mask)};
    *out = a;
    a->path = arena_printf(arena, "%s" APPLY_FOLDER "/", repo->git_dir);
    (void)umask(a->mask);
    if (make_folder(&a->common, repo->common_fd, err) < 0 || take_turn(a, err) < 0 ||
        make_folder(&a->folder, repo->git_fd, err) < 0 || settle_token(a, err) < 0) {
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
    (void)umask(a->repo->mask);
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

/* A level above the first has a number behind its names. */
static const char *with_level(struct arena *arena, const char *name, unsigned level)
{
    return level > 1 ? arena_printf(arena, "%s-%u", name, level) : name;
}

const char *work_pending(struct arena *arena, unsigned level)
{
    return with_level(arena, APPLY_PENDING, level);
}

int work_levels(unsigned *out, const struct repo *repo, struct err *err)
{
    ARENA_SCRATCH(scratch);
    bool there = true;
    for (*out = 0; there && *out < JOURNAL_LEVELS; *out += there) {
        const char *name = work_pending(&scratch, *out + 1);
        if (disk_exists(&there, repo->git_fd, arena_printf(&scratch, APPLY_FOLDER "/%s", name),
                        err) < 0)
            return -1;
    }
    return 0;
}

static const char *work_name(const struct apply *a, const struct journal *j)
{
    return j->kind == JOURNAL_COMMIT ? WORK_COMMIT : with_level(a->arena, WORK, j->level);
}

/* Never through a link at its place. `path` has no '/' at its end: with one, links are followed. */
int work_open_folder(int *fd, const char *path, struct err *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open the folder '%s'", path) : 0;
}

static const char *stage_path(const struct apply *a, const struct journal *j)
{
    return j->stage_in_tree ? arena_printf(a->arena, "%s%s", a->repo->top,
                                           with_level(a->arena, FALLBACK_STAGE, j->level))
                            : arena_printf(a->arena, "%s%s/" STAGE, a->path, work_name(a, j));
}

int work_open(struct apply *a, const struct journal *j, struct err *err)
{
    work_close(a);
    const char *work = arena_printf(a->arena, "%s%s", a->path, work_name(a, j));
    a->work_path = arena_printf(a->arena, "%s/", work);
    if (work_open_folder(&a->work, work, err) < 0 ||
        work_open_folder(&a->stage, stage_path(a, j), err) < 0)
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
    while ((entry = io_next(dir)))
        (void)unlinkat(folder, entry->d_name, 0);
    (void)closedir(dir);
}

void work_remove(struct apply *a, const struct journal *j)
{
    if (a->work < 0)
        return;
    work_empty(a->work);
    work_close(a);
    (void)rmdir(stage_path(a, j));
    (void)rmdir(a->work_path);
}

/* Files are exchanged by rename, so they are staged on the file system of the work tree. */
int work_choose_stage(const struct apply *a, struct journal *j, struct err *err)
{
    struct stat here, there;
    if (fstat(a->folder, &here) < 0 || fstat(a->repo->top_fd, &there) < 0)
        return err_errno(err, errno, "io", "cannot look at the work tree");
    j->stage_in_tree = here.st_dev != there.st_dev && j->kind != JOURNAL_COMMIT;
    return 0;
}

void work_tidy(struct apply *a, const struct journal *j)
{
    ERR_SCRATCH(ignored);
    struct journal leftover = *j;
    struct stat info;
    if (fstatat(a->folder, work_name(a, j), &info, AT_SYMLINK_NOFOLLOW) < 0 ||
        work_choose_stage(a, &leftover, &ignored) < 0 || work_open(a, &leftover, &ignored) < 0)
        return;
    work_empty(a->stage);
    work_remove(a, &leftover);
}

/* The level of "work-N"; 0: it is something else. */
static unsigned level_of(const char *name)
{
    unsigned level = 0;
    if (!str_starts(name, WORK "-"))
        return 0;
    for (name += strlen(WORK "-"); *name >= '0' && *name <= '9' && level < JOURNAL_LEVELS; name++)
        level = level * 10 + (unsigned)(*name - '0');
    return *name || level < 2 || level > JOURNAL_LEVELS ? 0 : level;
}

void work_tidy_levels(struct apply *a)
{
    DIR *dir = fdopendir(fcntl(a->folder, F_DUPFD_CLOEXEC, 0));
    struct dirent *entry;
    if (!dir)
        return;
    rewinddir(dir);
    while ((entry = io_next(dir))) {
        struct journal nothing = {.kind = JOURNAL_UPDATE, .level = level_of(entry->d_name)};
        if (nothing.level)
            work_tidy(a, &nothing);
    }
    (void)closedir(dir);
}

/* Each, too, under the name that it has where modes cannot be changed. */
void work_remove_drafts(const struct apply *a)
{
    static const char *const names[] = {
        "packed-refs.new", "packed-refs.new" DISK_DRAFT, "lock.copy", "lock.copy" DISK_DRAFT,
        JOURNAL_DRAFT,     JOURNAL_DRAFT DISK_DRAFT,     REF_PROBE};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        (void)unlinkat(a->common, names[i], 0);
        (void)unlinkat(a->folder, names[i], 0);
    }
}

/* tmplgen's folder inside git's: the lock of updates, the journals, the files of a run. */
#include "apply/work_folder.h"

#include "apply/journal.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "git/disk_entry.h"
#include "git/ref.h"
#include "git/repo.h"
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

/* ---------------------------------------------------------------- the lock and the folders */

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

/* "tmplgen ", 32 hexadecimal digits and a newline: git writes no such text into a lock. */
enum { TOKEN_BYTES = 16 };
#define TOKEN_START "tmplgen "
#define TOKEN_LEN (sizeof(TOKEN_START) - 1 + 2 * TOKEN_BYTES + 1)

static bool is_token(struct span text)
{
    return text.len == TOKEN_LEN && memcmp(text.ptr, TOKEN_START, strlen(TOKEN_START)) == 0 &&
           text.ptr[text.len - 1] == '\n';
}

int work_read_token(const char **out, const struct repo *repo, struct err *err)
{
    static const char path[] = APPLY_FOLDER "/" TOKEN;
    struct span text;
    bool there;
    *out = NULL;
    if (disk_exists(&there, repo->common_fd, path, err) < 0)
        return -1;
    if (!there)
        return 0;
    if (io_read_file(&text, repo->arena, repo->common_fd, path, LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    if (is_token(text))
        *out = arena_memdup(repo->arena, text.ptr, text.len);
    return 0;
}

static int make_token(const char **out, struct arena *arena, struct err *err)
{
    unsigned char bytes[TOKEN_BYTES];
    const char *text = TOKEN_START;
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return err_errno(err, errno, "io", "cannot get random bytes");
    for (size_t i = 0; i < sizeof(bytes); i++)
        text = arena_printf(arena, "%s%02x", text, bytes[i]);
    *out = arena_printf(arena, "%s\n", text);
    return 0;
}

/* Finds the token of a journal, for a copy of the repository that lacks TOKEN; NULL: none. */
static int token_of_journals(const char **out, const struct apply *a, struct err *err)
{
    static const char *const names[] = {APPLY_JOURNAL, APPLY_ABORT, APPLY_ENDED, APPLY_PENDING};
    struct journal left;
    bool found;
    *out = NULL;
    for (size_t i = 0; !*out && i < sizeof(names) / sizeof(*names); i++) {
        if (journal_read(&left, &found, a->repo->arena, a->folder, names[i], NULL, err) < 0)
            return -1;
        if (found && is_token(span_from(left.run.token)))
            *out = left.run.token;
    }
    return 0;
}

/* Writes the token in place: the locks that 0.2 took are hard links to this file. */
static int settle_token(struct apply *a, struct err *err)
{
    if (work_read_token(&a->token, a->repo, err) < 0)
        return -1;
    if (a->token)
        return 0;
    if (token_of_journals(&a->token, a, err) < 0 ||
        (!a->token && make_token(&a->token, a->repo->arena, err) < 0))
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

int apply_open(struct apply **out, struct repo *repo, struct err *err)
{
    struct apply *a = arena_alloc(repo->arena, sizeof(*a));
    *a = (struct apply){.repo = repo, .lock = -1, .common = -1, .folder = -1};
    *out = a;
    a->mask = repo_shared_mask(repo_text(repo, "core.sharedrepository"), repo->mask);
    a->path = arena_printf(repo->arena, "%s" APPLY_FOLDER "/", repo->git_dir);
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
    (void)umask(a->repo->mask);
    io_close_fd(&a->folder);
    io_close_fd(&a->common);
    io_close_fd(&a->lock);
    a->folder = a->common = a->lock = -1;
}

/* ---------------------------------------------------------------- prepared files */

const char *work_ref_name(struct arena *arena, size_t number)
{
    return arena_printf(arena, "ref.%zu", number);
}

/* Adds the level to `name` where it is above the first. */
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

int work_open_folder(int *fd, const char *path, struct err *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open the folder '%s'", path) : 0;
}

static const char *work_name(struct arena *arena, const struct journal *j)
{
    return j->kind == JOURNAL_COMMIT ? WORK_COMMIT : with_level(arena, WORK, j->run.level);
}

int work_open(struct work *out, const struct apply *a, const struct journal *j, struct err *err)
{
    const struct repo *repo = a->repo;
    const char *path = arena_printf(repo->arena, "%s%s", a->path, work_name(repo->arena, j));
    out->path = arena_printf(repo->arena, "%s/", path);
    out->stage_path = j->files.stage_in_tree
                          ? arena_printf(repo->arena, "%s%s", repo->top,
                                         with_level(repo->arena, FALLBACK_STAGE, j->run.level))
                          : arena_printf(repo->arena, "%s" STAGE, out->path);
    out->mode = 0666 & ~a->mask;
    if (work_open_folder(&out->fd, path, err) < 0 ||
        work_open_folder(&out->stage, out->stage_path, err) < 0)
        return -1;
    out->swap = (struct swap){.arena = repo->arena,
                              .top = repo->top_fd,
                              .stage = out->stage,
                              .modes_count = repo_flag(repo, "core.filemode", true),
                              .store = repo->store};
    return 0;
}

void work_close(struct work *work)
{
    io_close_fd(&work->fd);
    io_close_fd(&work->stage);
    work->fd = work->stage = -1;
}

void work_empty(int folder)
{
    IO_DIR_SCRATCH(dir) = io_open_dir(folder, ".");
    struct dirent *entry;
    while (dir && (entry = io_next(dir)))
        (void)unlinkat(folder, entry->d_name, 0);
}

void work_remove(struct work *work)
{
    if (work->fd < 0)
        return;
    work_empty(work->fd);
    work_close(work);
    (void)rmdir(work->stage_path);
    (void)rmdir(work->path);
}

int work_choose_stage(bool *in_tree, const struct apply *a, struct err *err)
{
    struct stat here, there;
    if (fstat(a->folder, &here) < 0 || fstat(a->repo->top_fd, &there) < 0)
        return err_errno(err, errno, "io", "cannot look at the work tree");
    *in_tree = here.st_dev != there.st_dev;
    return 0;
}

static void tidy_one(const struct apply *a, enum journal_kind kind, unsigned level)
{
    ERR_SCRATCH(ignored);
    WORK_SCRATCH(work);
    struct journal leftover = {.kind = kind, .run.level = level};
    struct stat info;
    if (fstatat(a->folder, work_name(a->repo->arena, &leftover), &info, AT_SYMLINK_NOFOLLOW) < 0 ||
        (kind != JOURNAL_COMMIT &&
         work_choose_stage(&leftover.files.stage_in_tree, a, &ignored) < 0) ||
        work_open(&work, a, &leftover, &ignored) < 0)
        return;
    work_empty(work.stage);
    work_remove(&work);
}

/* Returns the level of "work-N"; 0: `name` is something else. */
static unsigned level_of(const char *name)
{
    unsigned level = 0;
    if (!str_starts(name, WORK "-"))
        return 0;
    for (name += strlen(WORK "-"); *name >= '0' && *name <= '9' && level < JOURNAL_LEVELS; name++)
        level = level * 10 + (unsigned)(*name - '0');
    return *name || level < 2 || level > JOURNAL_LEVELS ? 0 : level;
}

void work_tidy(const struct apply *a)
{
    IO_DIR_SCRATCH(dir) = io_open_dir(a->folder, ".");
    struct dirent *entry;
    tidy_one(a, JOURNAL_UPDATE, 1);
    tidy_one(a, JOURNAL_COMMIT, 1);
    while (dir && (entry = io_next(dir))) {
        unsigned level = level_of(entry->d_name);
        if (level)
            tidy_one(a, JOURNAL_UPDATE, level);
    }
}

/* Includes the names that disk_write uses where modes cannot be changed. */
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

/* Makes an update happen: a crash at any point leaves the old state, the new, or a journal. */
#include "apply/apply.h"

#include "apply/journal.h"
#include "apply/recheck.h"
#include "apply/steps/steps.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/ref.h"
#include "git/repo.h"
#include "io/io.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int apply_look(struct unfinished *out, const struct repo *repo, struct err *err)
{
    const char *token;
    unsigned levels;
    bool found = false, waits;
    out->state = APPLY_NONE;
    if (work_read_token(&token, repo, err) < 0 || work_levels(&levels, repo, err) < 0)
        return -1;
    const struct {
        const char *name;
        enum apply_state state;
    } files[] = {{APPLY_JOURNAL, APPLY_FORWARD},
                 {APPLY_ABORT, APPLY_BACKWARD},
                 {APPLY_ENDED, APPLY_ENDING},
                 {work_pending(repo->arena, levels), APPLY_STOPPED}};
    for (size_t i = 0; !found && i < sizeof(files) / sizeof(*files); i++) {
        const char *path = arena_printf(repo->arena, APPLY_FOLDER "/%s", files[i].name);
        if (journal_read(&out->journal, &found, repo->arena, repo->git_fd, path, token, err) < 0)
            return -1;
        if (found)
            out->state = files[i].state;
    }
    if (out->state != APPLY_STOPPED)
        return 0;
    if (recheck_waits(&waits, repo, &out->journal, err) < 0)
        return -1;
    if (!waits)
        out->state = journal_is_sequence(&out->journal) ? APPLY_ASTRAY : APPLY_STALE;
    return 0;
}

int apply_files(const struct journal_files **out, const struct unfinished *unfinished,
                const struct repo *repo, struct err *err)
{
    struct journal *stop = arena_alloc(repo->arena, sizeof(*stop));
    const char *token;
    bool found;
    *out = &unfinished->journal.files;
    if (unfinished->state == APPLY_NONE || unfinished->journal.kind != JOURNAL_COMMIT)
        return 0;
    if (work_read_token(&token, repo, err) < 0 ||
        journal_read(stop, &found, repo->arena, repo->git_fd, APPLY_FOLDER "/" APPLY_PENDING, token,
                     err) < 0)
        return -1;
    if (found)
        *out = &stop->files;
    return 0;
}

/* ---------------------------------------------------------------- journals */

static int rename_journal(const struct apply *a, const char *from, const char *to, struct err *err)
{
    if (renameat(a->folder, from, a->folder, to) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot write the journal");
    return disk_sync_folder(a->folder, "the journal", err);
}

static int unlink_journal(const struct apply *a, const char *name, struct err *err)
{
    if (unlinkat(a->folder, name, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove the journal");
    return 0;
}

/* A failure does not matter: a journal that a power cut brings back describes the present state. */
static void sync_end(const struct apply *a)
{
    ERR_SCRATCH(ignored);
    const struct io_place places[] = {{a->folder, "."}, {a->common, "."}};
    if (io_sync(places, strcmp(a->repo->git_dir, a->repo->common_dir) == 0 ? 1 : 2, &ignored) < 0)
        err_release(&ignored);
}

/* A lock that a power cut brings back would stop git, and no journal would say whose it is. */
static int unlock_durably(const struct apply *a, const struct journal_tip *tip, struct err *err)
{
    const struct repo *repo = a->repo;
    if (git_state_unlock(a, tip, err) < 0)
        return -1;
    const char *slash = strrchr(tip->branch, '/');
    const char *heads =
        arena_memdup(repo->arena, tip->branch, slash ? (size_t)(slash - tip->branch) : 0);
    const struct io_place places[] = {{repo->git_fd, "."}, {repo->common_fd, heads}};
    bool there = false; /* git removes a folder with its last branch */
    if (*heads && disk_exists(&there, repo->common_fd, heads, err) < 0)
        return -1;
    return io_sync(places, there ? 2 : 1, err);
}

/* Removes the journal `name` last. */
static int remove_journal(struct apply *a, struct work *work, const struct journal *j,
                          const char *name, struct err *err)
{
    if (worktree_discard(&a->kept, work, &j->files, err) < 0 ||
        unlock_durably(a, &j->tip, err) < 0 || unlink_journal(a, name, err) < 0)
        return -1;
    work_remove_drafts(a);
    sync_end(a);
    work_remove(work);
    return 0;
}

/* ---------------------------------------------------------------- the end of a run */

/* From here on the run waits for the user. */
static int stop(const struct apply *a, const struct journal *j, struct err *err)
{
    if (unlock_durably(a, &j->tip, err) < 0)
        return -1;
    const char *pending = work_pending(a->repo->arena, j->run.level);
    if (renameat(a->folder, APPLY_JOURNAL, a->folder, pending) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot write the journal");
    sync_end(a);
    return 0;
}

static int forget_level(struct apply *a, unsigned level, struct err *err)
{
    WORK_SCRATCH(work);
    struct journal below;
    bool found;
    const char *name = work_pending(a->repo->arena, level);
    if (journal_read(&below, &found, a->repo->arena, a->folder, name, a->token, err) < 0)
        return -1;
    if (!found)
        return 0;
    if (work_open(&work, a, &below, err) < 0)
        return -1;
    worktree_remove_emptied(a->repo, &below.files);
    if (worktree_discard(&a->kept, &work, &below.files, err) < 0)
        return -1;
    work_remove(&work);
    return unlink_journal(a, name, err);
}

/* Forgets the stops that the run of that level went on from, the last one first. */
static int forget_below(struct apply *a, unsigned level, struct err *err)
{
    while (--level > 0)
        if (forget_level(a, level, err) < 0)
            return -1;
    return 0;
}

int apply_end(struct apply *a, const struct journal *j, struct err *err)
{
    WORK_SCRATCH(work);
    if (forget_below(a, j->run.level, err) < 0 || work_open(&work, a, j, err) < 0)
        return -1;
    return remove_journal(a, &work, j, APPLY_ENDED, err);
}

static int close_up(struct apply *a, struct work *work, const struct journal *j, struct err *err)
{
    if (journal_stops(j))
        return stop(a, j, err);
    worktree_remove_emptied(a->repo, &j->files);
    if (j->kind != JOURNAL_UPDATE || j->run.level == 1)
        return remove_journal(a, work, j, APPLY_JOURNAL, err);
    /* Without the stops below the run cannot be undone: from here on the update has happened. */
    return rename_journal(a, APPLY_JOURNAL, APPLY_ENDED, err) < 0 ? -1 : apply_end(a, j, err);
}

/* Whether a ref that the run made still has the run's target. */
static int is_left(bool *out, const struct repo *repo, const char *name, const struct oid *target,
                   struct err *err)
{
    struct oid now;
    bool found;
    if (ref_read(&now, &found, repo, name, err) < 0)
        return -1;
    *out = found && oid_equal(&now, target);
    return 0;
}

/* The run's ref files are gone by now. Deletes those refs that git has packed since. */
static int delete_packed(const struct apply *a, const struct journal *j, struct err *err)
{
    const struct journal_refs *refs = &j->refs;
    const char **names = arena_array(a->repo->arena, refs->count + 1, sizeof(*names));
    size_t count = 0;
    bool left = false;
    for (size_t i = 0; i < refs->count; i++) {
        const struct journal_ref *ref = &refs->items[i];
        if (ref->is_new && is_left(&left, a->repo, ref->name, &ref->target, err) < 0)
            return -1;
        if (ref->is_new && left)
            names[count++] = ref->name;
    }
    bool is_new = journal_moves_branch(&j->tip) && oid_is_zero(&j->tip.branch_old);
    if (is_new && is_left(&left, a->repo, j->tip.branch, &j->tip.branch_new, err) < 0)
        return -1;
    if (is_new && left)
        names[count++] = j->tip.branch;
    return count ? ref_delete_all(a->repo->common_fd, a->common, TOKEN, names, count, err) : 0;
}

/* With `moved` the user went on from there: the new commits and the other branch stay. */
static int undo(struct apply *a, struct work *work, const struct journal *j, bool moved,
                struct err *err)
{
    const bool *settled = NULL;
    if ((moved && recheck_settled(&settled, a->repo, &j->files, err) < 0) ||
        worktree_backward(&a->kept, a->repo, work, &j->files, settled, err) < 0 ||
        git_state_backward(a->repo, work, j, moved, err) < 0 ||
        (!moved && delete_packed(a, j, err) < 0))
        return -1;
    return remove_journal(a, work, j, APPLY_ABORT, err);
}

/* ---------------------------------------------------------------- a new run */

/* Undoes a first run that failed. `err` says why, and stays the reported error. */
static void roll_back(struct apply *a, struct work *work, const struct journal *j, struct err *err)
{
    ERR_SCRATCH(second);
    if (rename_journal(a, APPLY_JOURNAL, APPLY_ABORT, &second) < 0 ||
        undo(a, work, j, false, &second) < 0)
        (void)err_hint(err, "it is half done (%s): 'tmplgen update --abort' goes back",
                       second.message);
}

/* Gives up before any change. `err` stays the reason; the hint tells of a journal that stays. */
static void give_up(struct apply *a, struct work *work, const struct journal *j, struct err *err)
{
    ERR_SCRATCH(second);
    if (git_state_unlock(a, &j->tip, &second) < 0 ||
        unlink_journal(a, APPLY_JOURNAL, &second) < 0) {
        (void)err_hint(err, "nothing was changed, but a journal is left: 'tmplgen update --abort' "
                            "takes it away");
        return;
    }
    if (work->stage >= 0 && worktree_discard(&a->kept, work, &j->files, &second) < 0)
        return; /* the next run removes what is prepared */
    work_remove(work);
    if (disk_sync_folder(a->folder, "the journal", &second) < 0)
        err_release(&second);
}

static int run(struct apply *a, struct journal *j, struct err *err)
{
    WORK_SCRATCH(work);
    if (prepare_all(&work, a, j, err) < 0 ||
        journal_write(a->folder, APPLY_JOURNAL, work.mode, j, err) < 0 ||
        git_state_lock(a, &j->tip, err) < 0 || recheck_check(a->repo, j, err) < 0) {
        give_up(a, &work, j, err);
        return -1;
    }
    if (worktree_forward(&a->kept, a->repo, &work, &j->files, true, err) < 0 ||
        git_state_forward(a->repo, &work, j, err) < 0) {
        roll_back(a, &work, j, err);
        return -1;
    }
    if (close_up(a, &work, j, err) == 0)
        return 0;
    if (j->kind == JOURNAL_UPDATE && j->run.level > 1) /* some stops may be forgotten by now */
        return err_hint(err, "it is done, but not tidied up: 'tmplgen update' finishes it");
    return err_hint(err, "the update is made, but not tidied up: 'tmplgen update' finishes it, "
                         "'tmplgen update --abort' goes back");
}

static void block_signals(sigset_t *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        (void)sigaddset(&set, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &set, before);
}

int apply_run(struct apply *a, struct journal *j, struct err *err)
{
    sigset_t before;
    if (work_levels(&j->run.level, a->repo, err) < 0)
        return -1;
    j->run.level++;
    block_signals(&before);
    int rc = run(a, j, err);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* ---------------------------------------------------------------- an unfinished run */

int apply_forward(const char **moved, struct apply *a, const struct journal *j, struct err *err)
{
    WORK_SCRATCH(work);
    struct recheck now;
    *moved = NULL;
    if (work_open(&work, a, j, err) < 0 || git_state_lock(a, &j->tip, err) < 0 ||
        recheck_find(&now, a->repo, j, err) < 0)
        return -1;
    if (now.done)
        return close_up(a, &work, j, err);
    if (now.moved || now.staged) {
        *moved = now.moved ? now.moved : now.staged;
        return git_state_unlock(a, &j->tip, err);
    }
    if (worktree_forward(&a->kept, a->repo, &work, &j->files, false, err) < 0 ||
        git_state_forward(a->repo, &work, j, err) < 0)
        return -1;
    return close_up(a, &work, j, err);
}

static int begin_abort(struct apply *a, const struct work *work, const struct journal *j,
                       enum apply_state state, const struct oid *known, struct err *err)
{
    bool stopped = state == APPLY_STOPPED || state == APPLY_ASTRAY;
    if (stopped && worktree_put_aside(&a->kept, a, work, &j->files, known, err) < 0) {
        ERR_SCRATCH(second);
        (void)!git_state_unlock(a, &j->tip, &second);
        return -1;
    }
    if (state == APPLY_BACKWARD)
        return 0;
    const char *name = stopped ? work_pending(a->repo->arena, j->run.level) : APPLY_JOURNAL;
    return rename_journal(a, name, APPLY_ABORT, err);
}

int apply_backward(const char **moved, struct apply *a, const struct journal *j,
                   const struct oid *known, struct err *err)
{
    WORK_SCRATCH(work);
    struct unfinished here;
    struct recheck now;
    *moved = NULL;
    if (apply_look(&here, a->repo, err) < 0 || work_open(&work, a, j, err) < 0 ||
        git_state_lock(a, &j->tip, err) < 0 || recheck_find(&now, a->repo, j, err) < 0)
        return -1;
    *moved = now.left_moved ? NULL : now.moved;
    if (here.state == APPLY_FORWARD && *moved && now.done)
        return close_up(a, &work, j, err) < 0 ? -1 : 1;
    if (begin_abort(a, &work, j, here.state, known, err) < 0)
        return -1;
    return undo(a, &work, j, *moved != NULL, err);
}

int apply_forget(struct apply *a, const struct journal *j, struct err *err)
{
    WORK_SCRATCH(work);
    if (work_open(&work, a, j, err) < 0)
        return -1;
    worktree_remove_emptied(a->repo, &j->files);
    return remove_journal(a, &work, j, work_pending(a->repo->arena, j->run.level), err);
}

int apply_leave(struct apply *a, const struct journal *j, struct err *err)
{
    WORK_SCRATCH(work);
    struct journal first;
    bool found;
    if (journal_read(&first, &found, a->repo->arena, a->folder, APPLY_PENDING, a->token, err) < 0 ||
        (found && git_state_remove_refs(a->repo, &first.refs, err) < 0) ||
        work_open(&work, a, j, err) < 0 || worktree_discard(&a->kept, &work, &j->files, err) < 0)
        return -1;
    work_remove(&work);
    if (unlink_journal(a, work_pending(a->repo->arena, j->run.level), err) < 0 ||
        forget_below(a, j->run.level, err) < 0)
        return -1;
    sync_end(a);
    return 0;
}

static void unlock_quietly(int folder, const char *path, const struct apply *a)
{
    ERR_SCRATCH(ignored);
    if (ref_unlock(folder, path, a->common, TOKEN, &ignored) < 0)
        err_release(&ignored); /* the next command that needs the lock reports it */
}

void apply_tidy(const struct apply *a)
{
    work_tidy(a);
    unlock_quietly(a->repo->common_fd, "packed-refs", a);
    unlock_quietly(a->repo->git_fd, "index", a);
    unlock_quietly(a->repo->git_fd, "HEAD", a);
    if (a->repo->branch)
        unlock_quietly(a->repo->common_fd, a->repo->branch, a);
    work_remove_drafts(a);
}

void apply_delete_refs(const struct apply *a, const char *const *names, size_t count)
{
    ERR_SCRATCH(ignored);
    if (ref_delete_all(a->repo->common_fd, a->common, TOKEN, names, count, &ignored) < 0)
        return; /* the next update deletes them */
}

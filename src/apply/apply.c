/* Makes an update happen, so that a crash at any point leaves the old state, the new, or a journal.
 */
#include "apply/apply.h"

#include "apply/journal.h"
#include "apply/recheck.h"
#include "apply/steps/git_state.h"
#include "apply/steps/prepare.h"
#include "apply/steps/worktree_swap.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/ref.h"
#include "git/repo.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int apply_look(struct unfinished *out, struct arena *arena, const struct repo *repo,
               struct err *err)
{
    const char *token;
    unsigned levels;
    bool found = false, waits;
    out->state = APPLY_NONE;
    if (work_read_token(&token, arena, repo, err) < 0 || work_levels(&levels, repo, err) < 0)
        return -1;
    const struct {
        const char *name;
        enum apply_state state;
    } files[] = {
        {APPLY_FOLDER "/" APPLY_JOURNAL, APPLY_FORWARD},
        {APPLY_FOLDER "/" APPLY_ABORT, APPLY_BACKWARD},
        {APPLY_FOLDER "/" APPLY_ENDED, APPLY_ENDING},
        {arena_printf(arena, APPLY_FOLDER "/%s", work_pending(arena, levels)), APPLY_STOPPED}};
    for (size_t i = 0; !found && i < sizeof(files) / sizeof(*files); i++) {
        if (journal_read(&out->journal, &found, arena, repo->git_fd, files[i].name, token, err) < 0)
            return -1;
        if (found)
            out->state = files[i].state;
    }
    if (out->state != APPLY_STOPPED)
        return 0;
    if (recheck_waits(&waits, repo, &out->journal, err) < 0)
        return -1;
    bool sequence = journal_is_sequence(&out->journal);
    out->state = waits ? APPLY_STOPPED : sequence ? APPLY_ASTRAY : APPLY_STALE;
    return 0;
}

static int rename_journal(const struct apply *a, const char *from, const char *to, struct err *err)
{
    if (renameat(a->folder, from, a->folder, to) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot write the journal");
    return disk_sync_folder(a->folder, "the journal", err);
}

/*
 * Whether the end of the journal is durable does not matter: after a power cut it is found again,
 * and says what is there already.
 */
static void sync_end(const struct apply *a)
{
    ERR_SCRATCH(ignored);
    const struct io_place places[] = {{a->folder, "."}, {a->common, "."}};
    if (io_sync(places, strcmp(a->repo->git_dir, a->repo->common_dir) == 0 ? 1 : 2, &ignored) < 0)
        err_release(&ignored);
}

/* A lock that came back after a power cut would stop git, and no journal would say whose it is. */
static int unlock_durably(const struct apply *a, const struct journal *j, struct err *err)
{
    if (git_state_unlock(a, j, err) < 0)
        return -1;
    const char *slash = strrchr(j->branch, '/');
    const char *heads = arena_memdup(a->arena, j->branch, slash ? (size_t)(slash - j->branch) : 0);
    const struct io_place places[] = {{a->repo->git_fd, "."}, {a->repo->common_fd, heads}};
    bool there = false; /* git removes a folder that its last branch leaves */
    if (*heads && disk_exists(&there, a->repo->common_fd, heads, err) < 0)
        return -1;
    return io_sync(places, there ? 2 : 1, err);
}

/* The last thing to go is the journal that brought us here. */
static int remove_journal(struct apply *a, const struct journal *j, const char *name,
                          struct err *err)
{
    if (worktree_discard(a, j, err) < 0 || unlock_durably(a, j, err) < 0)
        return -1;
    if (unlinkat(a->folder, name, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove the journal");
    work_remove_drafts(a);
    sync_end(a);
    work_remove(a, j);
    return 0;
}

/* From here on the run waits for the user. */
static int stop(const struct apply *a, const struct journal *j, struct err *err)
{
    if (unlock_durably(a, j, err) < 0)
        return -1;
    const char *pending = work_pending(a->arena, j->level);
    if (renameat(a->folder, APPLY_JOURNAL, a->folder, pending) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot write the journal");
    sync_end(a);
    return 0;
}

/* The stops that a run went on from, the last one first. */
static int forget_below(struct apply *a, unsigned level, struct err *err)
{
    while (--level > 0) {
        struct journal below;
        bool found;
        const char *name = work_pending(a->arena, level);
        if (journal_read(&below, &found, a->arena, a->folder, name, a->token, err) < 0)
            return -1;
        if (!found)
            continue;
        if (work_open(a, &below, err) < 0)
            return -1;
        worktree_remove_emptied(a, &below);
        if (worktree_discard(a, &below, err) < 0)
            return -1;
        work_remove(a, &below);
        if (unlinkat(a->folder, name, 0) < 0)
            return err_errno(err, errno, "io", "cannot remove the journal");
    }
    return 0;
}

int apply_end(struct apply *a, const struct journal *j, struct err *err)
{
    if (forget_below(a, j->level, err) < 0 || work_open(a, j, err) < 0)
        return -1;
    return remove_journal(a, j, APPLY_ENDED, err);
}

static int close_up(struct apply *a, const struct journal *j, struct err *err)
{
    if (journal_stops(j))
        return stop(a, j, err);
    worktree_remove_emptied(a, j);
    if (j->kind != JOURNAL_UPDATE || j->level == 1)
        return remove_journal(a, j, APPLY_JOURNAL, err);
    /* Without the stops below there is no way back: from here on it has happened. */
    return rename_journal(a, APPLY_JOURNAL, APPLY_ENDED, err) < 0 ? -1 : apply_end(a, j, err);
}

/* `moved`: somebody went on from there, with commits or on another branch, which stay theirs. */
static int undo(struct apply *a, const struct journal *j, bool moved, struct err *err)
{
    const bool *settled = NULL;
    if ((moved && recheck_settled(&settled, a, j, err) < 0) ||
        worktree_backward(a, j, settled, err) < 0 || git_state_backward(a, j, moved, err) < 0)
        return -1;
    return remove_journal(a, j, APPLY_ABORT, err);
}

/* A first run that failed: `err` says why, and stays what is reported. */
static void roll_back(struct apply *a, const struct journal *j, struct err *err)
{
    ERR_SCRATCH(second);
    if (rename_journal(a, APPLY_JOURNAL, APPLY_ABORT, &second) < 0 ||
        undo(a, j, false, &second) < 0)
        (void)err_hint(err, "it is half done (%s): 'tmplgen update --abort' goes back",
                       second.message);
}

/* Nothing was touched yet. A journal that cannot be taken away is told; `err` stays the reason. */
static void give_up(struct apply *a, const struct journal *j, struct err *err)
{
    ERR_SCRATCH(second);
    if (git_state_unlock(a, j, &second) < 0 ||
        (unlinkat(a->folder, APPLY_JOURNAL, 0) < 0 && errno != ENOENT)) {
        (void)err_hint(err, "nothing was changed, but a journal is left: 'tmplgen update --abort' "
                            "takes it away");
        return;
    }
    if (a->stage >= 0 && worktree_discard(a, j, &second) < 0)
        return; /* what is prepared goes with the next run */
    work_remove(a, j);
    if (disk_sync_folder(a->folder, "the journal", &second) < 0)
        err_release(&second);
}

static int run(struct apply *a, struct journal *j, struct err *err)
{
    if (prepare_all(a, j, err) < 0 ||
        journal_write(a->folder, APPLY_JOURNAL, 0666 & ~a->mask, j, err) < 0 ||
        git_state_lock(a, j, err) < 0 || recheck_check(a, j, err) < 0) {
        give_up(a, j, err);
        return -1;
    }
    if (worktree_forward(a, j, true, err) < 0 || git_state_forward(a, j, err) < 0) {
        roll_back(a, j, err);
        return -1;
    }
    if (close_up(a, j, err) == 0)
        return 0;
    if (j->kind == JOURNAL_UPDATE && j->level > 1) /* its stops may be forgotten by now */
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
    if (work_levels(&j->level, a->repo, err) < 0)
        return -1;
    j->level++;
    block_signals(&before);
    int rc = run(a, j, err);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* What stands in the way is told, and git is not held off because of it. */
static int let_go(const char **moved, const struct apply *a, const struct journal *j,
                  const struct recheck *standing, struct err *err)
{
    *moved = standing->moved ? standing->moved : standing->staged;
    return git_state_unlock(a, j, err);
}

int apply_forward(const char **moved, struct apply *a, struct journal *j, struct err *err)
{
    struct recheck standing;
    *moved = NULL;
    if (work_open(a, j, err) < 0 || git_state_lock(a, j, err) < 0 ||
        recheck_find(&standing, a, j, err) < 0)
        return -1;
    if (standing.done)
        return close_up(a, j, err);
    if (standing.moved || standing.staged)
        return let_go(moved, a, j, &standing, err);
    if (worktree_forward(a, j, false, err) < 0 || git_state_forward(a, j, err) < 0)
        return -1;
    return close_up(a, j, err);
}

static int begin_abort(struct apply *a, const struct journal *j, enum apply_state state,
                       struct err *err)
{
    bool stopped = state == APPLY_STOPPED || state == APPLY_ASTRAY;
    if (stopped && worktree_put_aside(a, j, err) < 0) {
        ERR_SCRATCH(second);
        (void)!git_state_unlock(a, j, &second);
        return -1;
    }
    if (state == APPLY_BACKWARD)
        return 0;
    return rename_journal(a, stopped ? work_pending(a->arena, j->level) : APPLY_JOURNAL,
                          APPLY_ABORT, err);
}

int apply_backward(const char **moved, struct apply *a, struct journal *j, struct err *err)
{
    struct unfinished now;
    struct recheck standing;
    *moved = NULL;
    if (apply_look(&now, a->arena, a->repo, err) < 0 || work_open(a, j, err) < 0 ||
        git_state_lock(a, j, err) < 0 || recheck_find(&standing, a, j, err) < 0)
        return -1;
    *moved = standing.moved;
    if (now.state == APPLY_FORWARD && standing.moved && standing.done)
        return close_up(a, j, err) < 0 ? -1 : 1;
    if (begin_abort(a, j, now.state, err) < 0)
        return -1;
    return undo(a, j, standing.moved != NULL, err);
}

int apply_forget(struct apply *a, const struct journal *j, struct err *err)
{
    if (work_open(a, j, err) < 0)
        return -1;
    worktree_remove_emptied(a, j);
    return remove_journal(a, j, work_pending(a->arena, j->level), err);
}

int apply_leave(struct apply *a, const struct journal *j, struct err *err)
{
    struct journal first;
    bool found;
    if (journal_read(&first, &found, a->arena, a->folder, APPLY_PENDING, a->token, err) < 0 ||
        (found && git_state_remove_refs(a, &first, err) < 0) || work_open(a, j, err) < 0 ||
        worktree_discard(a, j, err) < 0)
        return -1;
    work_remove(a, j);
    const char *name = work_pending(a->arena, j->level);
    if (unlinkat(a->folder, name, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove the journal");
    if (forget_below(a, j->level, err) < 0)
        return -1;
    sync_end(a);
    return 0;
}

static void unlock_quietly(int folder, const char *path, const struct apply *a)
{
    ERR_SCRATCH(ignored);
    if (ref_unlock(folder, path, a->common, TOKEN, &ignored) < 0)
        err_release(&ignored); /* whoever needs it says that it is locked */
}

void apply_tidy(struct apply *a)
{
    static const struct journal nothing[] = {{.kind = JOURNAL_UPDATE}, {.kind = JOURNAL_COMMIT}};
    for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++)
        work_tidy(a, &nothing[i]);
    work_tidy_levels(a);
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
        return; /* they go next time */
}

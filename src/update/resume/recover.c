/* What was begun is brought to an end: after an interruption, a conflict, a staged result. */
#include "update/recover.h"

#include "apply/preflight.h"
#include "apply/recheck.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/shell.h"
#include "child/base_ref.h"
#include "child/child.h"
#include "data/data.h"
#include "git/commit.h"
#include "git/git_index.h"
#include "update/outcome.h"
#include "update/rebase/rebase_resume.h"
#include "update/rebase/replay_edits.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/resume/stopped_update.h"

#include <string.h>

/* The document of the run that the journal is of, as it ends now. */
static void recall(struct recovery *r, const struct journal *j, const char *result,
                   const struct oid *commit)
{
    struct arena *arena = r->child->arena;
    r->out->document =
        report_recall(arena, j->report, result, commit ? oid_text(arena, commit) : NULL);
}

/* A sequence that ends where its branch was all along has gone back (rebase_resume_return). */
static bool is_return(const struct journal *j)
{
    return journal_is_sequence(j) && end_state_of(j->kind)->commits && !journal_moves_branch(j);
}

/* What was cut off is at its end. */
static void recall_ended(struct recovery *r, const struct journal *j)
{
    const struct end_state *ending = end_state_of(j->kind);
    bool back = is_return(j);
    if (back) {
        recall(r, j, RESULT_ABORTED, NULL);
        base_ref_prune(&r->child->repo, r->apply, (struct oid){{0}});
    } else {
        recall(r, j, ending->result, ending->commits ? &j->branch_new : NULL);
    }
    report_warn(r->child->arena, r->out->document,
                back ? "an abort that was interrupted has been finished"
                     : "an update that was interrupted has been finished");
}

static int look(struct recovery *r)
{
    return apply_look(&r->unfinished, r->child->arena, &r->child->repo, r->err);
}

/* ---------------------------------------------------------------- nothing, or no way */

static int pass(struct recovery *r)
{
    (void)r;
    return 0;
}

static int tidy(struct recovery *r)
{
    apply_tidy(r->apply);
    return 0;
}

static int refuse_waiting(struct recovery *r)
{
    const struct end_state *ending = end_state_of(r->unfinished.journal.kind);
    (void)err_set(r->err, TG_REFUSED, "update-in-progress", "%s", ending->waits);
    return err_hint(r->err, "%s", ending->hint);
}

static int refuse_interrupted(struct recovery *r)
{
    (void)err_set(r->err, TG_REFUSED, "update-interrupted", "an update was interrupted half way");
    return err_hint(r->err, "'tmplgen update' finishes it, 'tmplgen update --abort' goes back");
}

static int refuse_aborting(struct recovery *r)
{
    (void)err_set(r->err, TG_REFUSED, "update-interrupted",
                  "an abort was interrupted: there is no way forward");
    return err_hint(r->err, "'tmplgen update --abort' finishes it");
}

static int nothing_waits(struct recovery *r, const char *what)
{
    ERR_SCRATCH(unmerged);
    apply_tidy(r->apply);
    (void)err_set(r->err, TG_REFUSED, "nothing-in-progress", "there is no update to %s here", what);
    return preflight_merged(&r->child->repo, NULL, &unmerged) < 0
               ? err_hint(r->err, "%s", unmerged.hint ? unmerged.hint : unmerged.message)
               : err_hint(r->err, "'tmplgen status' says how things are");
}

static int nothing_to_continue(struct recovery *r)
{
    return nothing_waits(r, "continue");
}

static int nothing_to_abort(struct recovery *r)
{
    return nothing_waits(r, "abort");
}

/* After it was ended by git's means: what is left of it, and how to go on from there; else -1. */
static int hint_left_over(struct recovery *r, const char *otherwise)
{
    ERR_SCRATCH(second);
    bool staged;
    if (preflight_merged(&r->child->repo, NULL, &second) < 0)
        return err_hint(r->err, "%s", second.hint ? second.hint : second.message);
    if (recheck_is_staged(&staged, &r->child->repo, &r->unfinished.journal, &second) == 0 && staged)
        return err_hint(r->err, "what it brought is still staged: 'git commit' takes it, 'git "
                                "reset --merge' gives it up");
    return err_hint(r->err, "%s", otherwise);
}

static int refuse_ended(struct recovery *r)
{
    (void)err_set(r->err, TG_REFUSED, "nothing-in-progress",
                  "the update was ended by other means: there is nothing to go back from");
    return hint_left_over(r, "'git log' shows the branch; it is left as it is");
}

/* ---------------------------------------------------------------- forward */

static int recover(struct recovery *r);

static int go_back(struct recovery *r);

static int refuse_moved(struct recovery *r, const char *moved)
{
    (void)err_set(r->err, TG_REFUSED, "changed-meanwhile",
                  "an update was interrupted, and %s since", moved);
    return err_hint(r->err, "'tmplgen update --abort' takes back what the update had done and "
                            "leaves what is yours; then 'tmplgen update' starts again");
}

/*
 * Somebody went on from where the run was cut off: there is no way forward over their work. A
 * commit of a stopped run has changed nothing yet but the branch; an update starts afresh.
 */
static int go_another_way(struct recovery *r, const char *moved)
{
    bool was_commit = r->unfinished.journal.kind == JOURNAL_COMMIT;
    if (!was_commit && r->wanted != WANTED_UPDATE)
        return refuse_moved(r, moved);
    if (apply_backward(&moved, r->apply, &r->unfinished.journal, r->err) < 0 ||
        repo_read_head(&r->child->repo, r->err) < 0)
        return -1;
    if (!was_commit)
        r->note = "an update that was interrupted has been undone first: meanwhile somebody had "
                  "gone on";
    return recover(r);
}

static int finish(struct recovery *r)
{
    const struct journal *j = &r->unfinished.journal;
    const struct end_state *ending = end_state_of(j->kind);
    const char *moved;
    if (apply_forward(&moved, r->apply, &r->unfinished.journal, r->err) < 0)
        return -1;
    if (moved)
        return go_another_way(r, moved);
    r->done = true;
    recall_ended(r, j);
    report_kept(r->child->arena, r->out->document, r->apply);
    return report_exit(r->out->document, ending->exit);
}

/* Only the stops that it went on from were left. */
static int finish_ended(struct recovery *r)
{
    const struct journal *j = &r->unfinished.journal;
    if (apply_end(r->apply, j, r->err) < 0)
        return -1;
    apply_tidy(r->apply);
    r->done = true;
    recall_ended(r, j);
    return TG_OK;
}

static int refuse_finished(struct recovery *r)
{
    const struct journal *j = &r->unfinished.journal;
    if (is_return(j))
        return finish_ended(r);
    if (apply_end(r->apply, j, r->err) < 0)
        return -1;
    apply_tidy(r->apply);
    (void)err_set(r->err, TG_REFUSED, "nothing-in-progress",
                  "the update is finished: there is nothing to go back from");
    return err_hint(r->err, "'git log' shows the branch; it is left as it is");
}

static int forget(struct recovery *r)
{
    return apply_forget(r->apply, &r->unfinished.journal, r->err);
}

/* What is still staged waits for somebody, if on another branch: its journal stays. */
static int forget_ended(struct recovery *r)
{
    const struct repo *repo = &r->child->repo;
    const struct journal *j = &r->unfinished.journal;
    bool staged;
    if (recheck_is_staged(&staged, repo, j, r->err) < 0 ||
        (staged && preflight_merged(repo, NULL, r->err) < 0))
        return -1;
    if (!staged)
        return forget(r);
    if (repo->branch && strcmp(repo->branch, j->branch) == 0) {
        (void)err_set(r->err, TG_REFUSED, "update-in-progress",
                      "what an update brought is still staged");
        return hint_left_over(r, "'git status' shows it");
    }
    const char *name = repo_branch_name(j->branch);
    (void)err_set(r->err, TG_REFUSED, "update-in-progress",
                  "an update of branch '%s' is staged and waits for you", name);
    return err_hint(r->err,
                    "`%s` goes back to it; there 'tmplgen update --continue' "
                    "takes it, 'tmplgen update --abort' goes back",
                    shell_command(repo->arena, "git switch %s", name));
}

/* Where that was the commit of a stopped run, the stopped run is over, too. */
static int finish_both(struct recovery *r)
{
    bool was_commit = r->unfinished.journal.kind == JOURNAL_COMMIT;
    int code = finish(r);
    if (code < 0 || !was_commit || !r->done)
        return code;
    if (repo_read_head(&r->child->repo, r->err) < 0 || look(r) < 0 ||
        (r->unfinished.state == APPLY_STALE && forget(r) < 0))
        return -1;
    return code;
}

static int tell_unresolved(struct recovery *r, const char *paths)
{
    recall(r, &r->unfinished.journal, RESULT_CONFLICTS, NULL);
    report_warn(r->child->arena, r->out->document,
                arena_printf(r->child->arena, "still unresolved: %s", paths));
    return TG_CONFLICTS;
}

static int commit_stop(struct recovery *r, const struct stopped_update *stop)
{
    const struct repo *repo = &r->child->repo;
    const struct journal *stopped = stop->journal;
    struct oid commit;
    struct identity who;
    char *sum = arena_alloc(repo->arena, 41);
    if (stopped_update_conclude(&commit, &who, stop, r->err) < 0 ||
        index_checksum(sum, repo_index_path(repo), r->err) < 0)
        return -1;
    struct journal j = {.kind = JOURNAL_COMMIT,
                        .head_old = repo->head_text,
                        .head_new = repo->head_text,
                        .branch = repo->branch,
                        .branch_old = repo->head,
                        .branch_new = commit,
                        .pseudoref = stopped->pseudoref,
                        .brought = stopped->brought,
                        .reflog_who = who.committer,
                        .reflog_what = stopped->reflog_what,
                        .index_old = sum,
                        .report = stopped->report};
    if (apply_run(r->apply, &j, r->err) < 0 || apply_forget(r->apply, stopped, r->err) < 0)
        return -1;
    recall(r, stopped, RESULT_UPDATED, &commit);
    report_kept(r->child->arena, r->out->document, r->apply);
    return TG_OK;
}

static struct rebase_resume as_sequence(const struct recovery *r)
{
    return (struct rebase_resume){r->child, r->apply, &r->unfinished.journal};
}

static int go_on(struct recovery *r, const struct oid *made)
{
    const struct rebase_resume sequence = as_sequence(r);
    return rebase_resume_go_on(&r->out->document, &sequence, made, r->err);
}

static int commit_and_go_on(struct recovery *r, const struct stopped_update *stop)
{
    struct oid commit;
    struct identity who;
    return stopped_update_conclude(&commit, &who, stop, r->err) < 0 ? -1 : go_on(r, &commit);
}

static int take_stop(struct recovery *r)
{
    const struct stopped_update stop = {r->child, &r->unfinished.journal};
    const char *unresolved;
    if (child_read(r->child, r->err) < 0 ||
        stopped_update_find_unresolved(&unresolved, &stop, r->err) < 0)
        return -1;
    if (*unresolved)
        return tell_unresolved(r, unresolved);
    return journal_is_sequence(stop.journal) ? commit_and_go_on(r, &stop) : commit_stop(r, &stop);
}

/* ---------------------------------------------------------------- HEAD is elsewhere */

static int refuse_astray(struct recovery *r)
{
    const struct rebase_resume sequence = as_sequence(r);
    return rebase_resume_refuse(&sequence, r->err);
}

static int refuse_staged(struct recovery *r)
{
    (void)err_set(r->err, TG_REFUSED, "dirty",
                  "something is staged on top of what you committed yourself");
    return err_hint(r->err, "'git commit' it, or 'git restore --staged' it; then 'tmplgen update "
                            "--continue'");
}

/* The user has committed what was stopped at, or given it up: then it is tried again. */
static int take_astray(struct recovery *r)
{
    const struct repo *repo = &r->child->repo;
    const char **staged;
    size_t count;
    bool on;
    if (recheck_went_on(&on, repo, &r->unfinished.journal, r->err) < 0)
        return -1;
    if (!on)
        return refuse_astray(r);
    if (preflight_state(repo, r->err) < 0 || child_read(r->child, r->err) < 0)
        return -1;
    bool waits = strcmp(repo->head_text, r->unfinished.journal.head_new) == 0;
    index_differences(&staged, &count, r->child->arena, r->child->index, &r->child->head);
    if (count)
        return waits ? take_stop(r) : refuse_staged(r);
    return go_on(r, waits ? NULL : &repo->head);
}

/* Anywhere else: files and HEAD are the user's. */
static int leave(struct recovery *r)
{
    if (apply_leave(r->apply, &r->unfinished.journal, r->err) < 0)
        return -1;
    report_warn(r->child->arena, r->out->document,
                "HEAD had left the replayed commits: it is left where it is, and so are files");
    return 0;
}

/* From the tree of the index, all of it committed. */
static int return_from(struct recovery *r, const struct oid *from)
{
    const struct rebase_resume sequence = as_sequence(r);
    r->apply->known = *from;
    recall(r, &r->unfinished.journal, RESULT_ABORTED, NULL);
    if (rebase_resume_return(&sequence, from, r->err) < 0)
        return -1;
    report_kept(r->child->arena, r->out->document, r->apply);
    return TG_OK;
}

static int leave_astray(struct recovery *r)
{
    const struct repo *repo = &r->child->repo;
    const char **staged;
    size_t count;
    bool on;
    if (recheck_went_on(&on, repo, &r->unfinished.journal, r->err) < 0 ||
        child_read(r->child, r->err) < 0)
        return -1;
    r->apply->known = repo->tree;
    index_differences(&staged, &count, r->child->arena, r->child->index, &r->child->head);
    if (on)
        return count ? go_back(r) : return_from(r, &repo->tree);
    recall(r, &r->unfinished.journal, RESULT_ABORTED, NULL);
    if (leave(r) < 0)
        return -1;
    report_kept(r->child->arena, r->out->document, r->apply);
    return TG_OK;
}

/* By git's own means: the user has committed it, and nothing is left to do, or has given it up. */
static int take_ended(struct recovery *r)
{
    const struct stopped_update stop = {r->child, &r->unfinished.journal};
    struct oid commit;
    bool found;
    if (stopped_update_find_commit(&commit, &found, &stop, r->err) < 0)
        return -1;
    if (found) {
        recall(r, stop.journal, RESULT_UP_TO_DATE, &commit);
        return forget(r) < 0 ? -1 : TG_OK;
    }
    /* The journal stays: what is in a stash may come back. */
    (void)err_set(r->err, TG_REFUSED, "nothing-in-progress",
                  "the update was given up by other means; nothing of it is committed");
    return hint_left_over(r, "'tmplgen update' starts again");
}

/* ---------------------------------------------------------------- back */

/* Below the level that it is of, a stop waits still. */
static int finish_abort(struct recovery *r)
{
    const char *moved;
    unsigned level = r->unfinished.journal.level;
    if (apply_backward(&moved, r->apply, &r->unfinished.journal, r->err) < 0)
        return -1;
    r->note = "an abort that was interrupted has been finished first";
    if (level == 1)
        return 0;
    return repo_read_head(&r->child->repo, r->err) < 0 ? -1 : recover(r);
}

/* Of what went on from a stop: that can be tried again. */
static int continue_aborting(struct recovery *r)
{
    return r->unfinished.journal.level > 1 ? finish_abort(r) : refuse_aborting(r);
}

static const struct oid none;

/* Whether that has more than what its stop's journal says. */
static int has_more(bool *out, struct recovery *r, const struct oid *committed)
{
    const struct repo *repo = &r->child->repo;
    const struct journal *j = &r->unfinished.journal;
    struct replay_edits edits;
    struct commit tip;
    *out = false;
    if (repo_commit(&tip, repo->arena, repo->store, &j->branch_old, r->err) < 0)
        return -1;
    /* what it went on from: an earlier stop, or the branch */
    const struct oid *from = oid_equal(&j->before.tree, &none) ? &tip.tree : &j->before.tree;
    if (replay_edits(&edits, repo, committed, from, NULL, 0, NULL, r->err) < 0)
        return -1;
    for (size_t i = 0; !*out && i < edits.count; i++)
        *out = !journal_change(j, edits.edits[i].path);
    return 0;
}

/*
 * At a stop that was gone on from with more than what was in conflict, the way back is through the
 * trees. Else it is by what the journal kept, which needs no space; so it is where this way cannot
 * be gone, and then what was committed stays, staged. True where it was.
 */
static bool returned(struct recovery *r, const struct oid *committed)
{
    ERR_SCRATCH(why);
    struct recovery way = *r;
    bool on, more;
    way.err = &why;
    if (oid_equal(committed, &none) || !journal_is_sequence(&way.unfinished.journal) ||
        recheck_went_on(&on, &r->child->repo, &way.unfinished.journal, &why) < 0 || !on ||
        has_more(&more, &way, committed) < 0 || !more || child_read(r->child, &why) < 0)
        return false;
    return return_from(&way, committed) == TG_OK;
}

static int go_down(const char **moved, struct recovery *r)
{
    int rc = apply_backward(moved, r->apply, &r->unfinished.journal, r->err);
    return rc < 0 || repo_read_head(&r->child->repo, r->err) < 0 || look(r) < 0 ? -1 : rc;
}

/* Level by level. What was resolved and committed on the way is not lost, and needs no copy. */
static int go_back(struct recovery *r)
{
    const struct journal first = r->unfinished.journal;
    const char *moved;
    int rc;
    do {
        struct oid before = r->unfinished.journal.before.tree;
        if ((rc = go_down(&moved, r)) < 0)
            return -1;
        if (rc == 0 && returned(r, &before))
            return TG_OK;
        if (look(r) < 0)
            return -1;
        r->apply->known = before;
    } while (r->unfinished.state != APPLY_NONE && r->unfinished.state != APPLY_STALE);
    if (rc > 0 || (r->unfinished.state == APPLY_STALE && first.kind == JOURNAL_COMMIT))
        return refuse_ended(r);
    if (r->unfinished.state == APPLY_NONE)
        apply_tidy(r->apply); /* of a run that was cut off before it had a journal */
    recall(r, &first, RESULT_ABORTED, NULL);
    if (moved)
        report_warn(r->child->arena, r->out->document,
                    arena_printf(r->child->arena,
                                 "after the interruption %s: that is left as it is", moved));
    report_kept(r->child->arena, r->out->document, r->apply);
    return TG_OK;
}

/* ---------------------------------------------------------------- the table */

/* Each step returns an exit code, or -1. */
static int (*const steps[APPLY_STATES][WANTED])(struct recovery *) = {
    /*                  a look,             an update,      --continue,          --abort */
    [APPLY_NONE] = {pass, tidy, nothing_to_continue, nothing_to_abort},
    [APPLY_FORWARD] = {refuse_interrupted, finish, finish_both, go_back},
    [APPLY_STOPPED] = {refuse_waiting, refuse_waiting, take_stop, go_back},
    [APPLY_BACKWARD] = {refuse_interrupted, finish_abort, continue_aborting, go_back},
    [APPLY_ENDING] = {pass, finish_ended, finish_ended, refuse_finished},
    [APPLY_STALE] = {pass, forget_ended, take_ended, refuse_ended},
    [APPLY_ASTRAY] = {refuse_astray, refuse_astray, take_astray, leave_astray},
};

static int recover(struct recovery *r)
{
    return look(r) < 0 ? -1 : steps[r->unfinished.state][r->wanted](r);
}

int recover_first(struct recovery *r, bool only_looks, bool *done)
{
    r->wanted = only_looks ? WANTED_LOOK : WANTED_UPDATE;
    int code = recover(r);
    *done = r->done;
    if (code < 0 || *done || only_looks)
        return code;
    return repo_read_head(&r->child->repo, r->err);
}

static int end(struct update_outcome *out, struct arena *arena, const char *path,
               enum wanted wanted, struct err *err)
{
    struct child child;
    struct recovery r = {.out = out, .child = &child, .wanted = wanted, .err = err};
    *out = (struct update_outcome){NULL, NULL};
    int rc = child_open(&child, arena, path, err);
    if (rc == 0)
        rc = apply_open(&r.apply, arena, &child.repo, err);
    if (rc == 0)
        rc = recover(&r);
    apply_close(r.apply);
    child_close(&child);
    return rc;
}

int update_continue(struct update_outcome *out, struct arena *arena, const char *path,
                    struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    return end(out, arena, path, WANTED_CONTINUE, err);
}

int update_abort(struct update_outcome *out, struct arena *arena, const char *path, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    return end(out, arena, path, WANTED_ABORT, err);
}

/* Ends an unfinished update: after an interruption, a conflict, a staged result. */
#include "update/resume/recover.h"

#include "apply/apply.h"
#include "apply/preflight.h"
#include "apply/recheck.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/shell.h"
#include "child/base_ref.h"
#include "child/child.h"
#include "data/data.h"
#include "git/git_index.h"
#include "update/rebase/stopped_rebase.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/resume/stopped_update.h"
#include "update/update.h"

#include <string.h>

enum wanted { WANTED_LOOK, WANTED_UPDATE, WANTED_CONTINUE, WANTED_ABORT, WANTED };

/* The state and the wish that choose a step of the table. */
struct situation {
    enum wanted wanted;
    struct child *child;
    struct apply *apply; /* NULL: nothing may change */
    struct unfinished found;
};

static int look(struct situation *s, struct err *err)
{
    return apply_look(&s->found, &s->child->repo, err);
}

/* A rebase that ends at its branch's old commit has gone back (rebase_resume_return). */
static bool is_return(const struct journal *j)
{
    return journal_is_sequence(j) && end_state_of(j->kind)->commits &&
           !journal_moves_branch(&j->tip);
}

/* Recalls the document of the interrupted run, which has now ended. */
static void recall_ended(struct recovery *out, const struct situation *s)
{
    struct arena *arena = s->child->arena;
    const struct journal *j = &s->found.journal;
    const struct end_state *ending = end_state_of(j->kind);
    bool back = is_return(j);
    const struct oid *commit = ending->commits && !back ? &j->tip.branch_new : NULL;
    out->done = true;
    out->document = report_recall(arena, j->report, back ? RESULT_ABORTED : ending->result, commit);
    if (back)
        base_ref_prune(&s->child->repo, s->apply, (struct oid){{0}});
    report_warn(arena, out->document,
                back ? "an abort that was interrupted has been finished"
                     : "an update that was interrupted has been finished");
}

/* ---------------------------------------------------------------- of another project */

/* Several projects of one repository have one state of git: the record tells whose update it is. */
int recover_other(const char **out, const struct repo *repo, const struct unfinished *unfinished,
                  struct err *err)
{
    const struct journal_files *files;
    *out = NULL;
    if (unfinished->state == APPLY_NONE)
        return 0;
    if (apply_files(&files, unfinished, repo, err) < 0)
        return -1;
    if (journal_change(files, repo_path(repo, RECORD_PATH)))
        return 0;
    for (size_t i = 0; i < files->count && !*out; i++) {
        const char *path = files->changes[i].path, *slash = strrchr(path, '/');
        if (str_equal(slash ? slash + 1 : path, RECORD_PATH))
            *out = slash ? arena_memdup(repo->arena, path, (size_t)(slash - path)) : ".";
    }
    return 0;
}

static int refuse_other(const char *other, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "update-in-progress",
                  "an update of another project of this repository is not over: that of '%s'",
                  other);
    return err_hint(err, "in its folder 'tmplgen update --continue' or --abort ends it");
}

/* ---------------------------------------------------------------- the branch that was left */

/* True where HEAD could not go back to the branch that the run left, as `back` foresaw. */
static bool is_left(const struct repo *repo, const struct recheck_way_back *back)
{
    return back->moved && !repo->branch && str_equal(repo->head_text, back->head);
}

static int refuse_left(const struct repo *repo, const struct recheck_way_back *back,
                       struct err *err)
{
    const char *branch = repo_branch_name(back->left);
    (void)err_set(err, TG_REFUSED, "branch-moved",
                  "the interrupted update is undone, but '%s' %s: HEAD is at %.10s, on no branch",
                  branch, back->moved, back->head);
    return err_hint(err, "`%s` begins a branch where you were",
                    shell_command(repo->arena, "git switch -c %s", "NAME"));
}

/* The exit code of a document that tells that everything is as it was, or what is not. */
static int tell_left(const struct situation *s, struct data *document,
                     const struct recheck_way_back *back)
{
    const struct repo *repo = &s->child->repo;
    if (!is_left(repo, back))
        return TG_OK;
    report_left(repo->arena, document, repo_branch_name(back->left), back->moved, back->head);
    return TG_REFUSED;
}

/* Goes back by one level; `back` says where HEAD was to go. */
static int undo_level(const char **moved, struct recheck_way_back *back, const struct situation *s,
                      const struct journal *j, const struct oid *known, struct err *err)
{
    struct repo *repo = &s->child->repo;
    if (recheck_way_back(back, repo, j, err) < 0)
        return -1;
    int rc = apply_backward(moved, s->apply, j, known, err);
    return rc < 0 || repo_read_head(repo, err) < 0 ? -1 : rc;
}

/* ---------------------------------------------------------------- nothing, or no way */

static int pass(struct recovery *out, const struct situation *s, struct err *err)
{
    (void)out, (void)s, (void)err;
    return 0;
}

static int tidy(struct recovery *out, const struct situation *s, struct err *err)
{
    (void)out, (void)err;
    apply_tidy(s->apply);
    return 0;
}

static int refuse_waiting(struct recovery *out, const struct situation *s, struct err *err)
{
    const struct end_state *ending = end_state_of(s->found.journal.kind);
    (void)out;
    (void)err_set(err, TG_REFUSED, "update-in-progress", "%s", ending->waits);
    return err_hint(err, "%s", ending->hint);
}

static int refuse_interrupted(struct recovery *out, const struct situation *s, struct err *err)
{
    (void)out, (void)s;
    (void)err_set(err, TG_REFUSED, "update-interrupted", "an update was interrupted half way");
    return err_hint(err, "'tmplgen update' finishes it, 'tmplgen update --abort' goes back");
}

static int refuse_none(struct recovery *out, const struct situation *s, struct err *err)
{
    ERR_SCRATCH(unmerged);
    (void)out;
    apply_tidy(s->apply);
    (void)err_set(err, TG_REFUSED, "nothing-in-progress", "there is no update to %s here",
                  s->wanted == WANTED_ABORT ? "abort" : "continue");
    return preflight_merged(&s->child->repo, NULL, &unmerged) < 0
               ? err_hint(err, "%s", unmerged.hint ? unmerged.hint : unmerged.message)
               : err_hint(err, "'tmplgen status' says how things are");
}

/* The user ended the update without tmplgen: the hint says how to go on. Returns -1. */
static int hint_left_over(const struct situation *s, const char *otherwise, struct err *err)
{
    ERR_SCRATCH(second);
    bool staged;
    if (preflight_merged(&s->child->repo, NULL, &second) < 0)
        return err_hint(err, "%s", second.hint ? second.hint : second.message);
    if (recheck_is_staged(&staged, &s->child->repo, &s->found.journal.files, &second) == 0 &&
        staged)
        return err_hint(err, "what it brought is still staged: 'git commit' takes it, 'git "
                             "reset --merge' gives it up");
    return err_hint(err, "%s", otherwise);
}

static int refuse_ended(struct recovery *out, const struct situation *s, struct err *err)
{
    (void)out;
    (void)err_set(err, TG_REFUSED, "nothing-in-progress",
                  "the update was ended by other means: there is nothing to go back from");
    return hint_left_over(s, "'git log' shows the branch; it is left as it is", err);
}

/* ---------------------------------------------------------------- forward */

static int recover(struct recovery *out, enum wanted wanted, struct child *child,
                   struct apply *apply, struct err *err);

static int recover_again(struct recovery *out, const struct situation *s, struct err *err)
{
    if (repo_read_head(&s->child->repo, err) < 0)
        return -1;
    return recover(out, s->wanted, s->child, s->apply, err);
}

/*
 * The user went on from where the run was cut off. The run cannot be finished without losing that
 * work, so it is undone. The commit of a stopped run has changed only the branch so far.
 */
static int go_another_way(struct recovery *out, const struct situation *s, const char *moved,
                          struct err *err)
{
    bool was_commit = s->found.journal.kind == JOURNAL_COMMIT;
    struct recheck_way_back back;
    if (!was_commit && s->wanted != WANTED_UPDATE) {
        (void)err_set(err, TG_REFUSED, "changed-meanwhile",
                      "an update was interrupted, and %s since", moved);
        return err_hint(err, "'tmplgen update --abort' takes back what the update had done and "
                             "leaves what is yours; then 'tmplgen update' starts again");
    }
    if (undo_level(&moved, &back, s, &s->found.journal, &(struct oid){{0}}, err) < 0)
        return -1;
    if (is_left(&s->child->repo, &back))
        return refuse_left(&s->child->repo, &back, err);
    if (!was_commit)
        out->note = "an update that was interrupted has been undone first: meanwhile somebody had "
                    "gone on";
    return recover_again(out, s, err);
}

static int finish(struct recovery *out, const struct situation *s, struct err *err)
{
    const struct journal *j = &s->found.journal;
    const char *moved;
    if (apply_forward(&moved, s->apply, j, err) < 0)
        return -1;
    if (moved)
        return go_another_way(out, s, moved, err);
    recall_ended(out, s);
    report_kept(s->child->arena, out->document, &s->apply->kept);
    return report_exit(out->document, end_state_of(j->kind)->exit);
}

static int end(const struct situation *s, struct err *err)
{
    if (apply_end(s->apply, &s->found.journal, err) < 0)
        return -1;
    apply_tidy(s->apply);
    return 0;
}

/* Only the stops that the run went on from remained. */
static int finish_ended(struct recovery *out, const struct situation *s, struct err *err)
{
    if (end(s, err) < 0)
        return -1;
    recall_ended(out, s);
    return TG_OK;
}

static int refuse_finished(struct recovery *out, const struct situation *s, struct err *err)
{
    if (is_return(&s->found.journal))
        return finish_ended(out, s, err);
    if (end(s, err) < 0)
        return -1;
    (void)err_set(err, TG_REFUSED, "nothing-in-progress",
                  "the update is finished: there is nothing to go back from");
    return err_hint(err, "'git log' shows the branch; it is left as it is");
}

/* The result may still be staged and wait, perhaps on another branch: then its journal stays. */
static int forget_ended(struct recovery *out, const struct situation *s, struct err *err)
{
    const struct repo *repo = &s->child->repo;
    const struct journal *j = &s->found.journal;
    bool staged;
    (void)out;
    if (recheck_is_staged(&staged, repo, &j->files, err) < 0 ||
        (staged && preflight_merged(repo, NULL, err) < 0))
        return -1;
    if (!staged)
        return apply_forget(s->apply, j, err);
    if (str_equal(repo->branch, j->tip.branch)) {
        (void)err_set(err, TG_REFUSED, "update-in-progress",
                      "what an update brought is still staged");
        return hint_left_over(s, "'git status' shows it", err);
    }
    const char *name = repo_branch_name(j->tip.branch);
    (void)err_set(err, TG_REFUSED, "update-in-progress",
                  "an update of branch '%s' is staged and waits for you", name);
    return err_hint(err,
                    "`%s` goes back to it; there 'tmplgen update --continue' "
                    "takes it, 'tmplgen update --abort' goes back",
                    shell_command(repo->arena, "git switch %s", name));
}

/* The commit of a stopped run also ends the stopped run. */
static int finish_both(struct recovery *out, const struct situation *s, struct err *err)
{
    struct situation now = *s;
    int code = finish(out, s, err);
    if (code < 0 || s->found.journal.kind != JOURNAL_COMMIT || !out->done)
        return code;
    if (repo_read_head(&s->child->repo, err) < 0 || look(&now, err) < 0 ||
        (now.found.state == APPLY_STALE && apply_forget(s->apply, &now.found.journal, err) < 0))
        return -1;
    return code;
}

static int take_stop(struct recovery *out, const struct situation *s, struct err *err)
{
    return stopped_update_take(&out->document, s->child, s->apply, &s->found.journal, err);
}

/* ---------------------------------------------------------------- HEAD is elsewhere */

static int refuse_astray(struct recovery *out, const struct situation *s, struct err *err)
{
    (void)out;
    return rebase_resume_refuse(&s->child->repo, &s->found.journal, err);
}

/* The user has committed the stop's result, or has given it up: then it is tried again. */
static int take_astray(struct recovery *out, const struct situation *s, struct err *err)
{
    const struct repo *repo = &s->child->repo;
    const struct journal *j = &s->found.journal;
    bool on;
    if (recheck_went_on(&on, repo, j, err) < 0)
        return -1;
    if (!on)
        return refuse_astray(out, s, err);
    if (preflight_state(repo, err) < 0 || child_read(s->child, err) < 0)
        return -1;
    bool waits = strcmp(repo->head_text, j->tip.head_new) == 0;
    if (!index_differences(s->child->arena, s->child->index, &s->child->head).count)
        return rebase_resume_go_on(&out->document, s->child, s->apply, j,
                                   waits ? NULL : &repo->head, err);
    if (waits)
        return take_stop(out, s, err);
    (void)err_set(err, TG_REFUSED, "dirty",
                  "something is staged on top of what you committed yourself");
    return err_hint(err, "'git commit' it, or 'git restore --staged' it; then 'tmplgen update "
                         "--continue'");
}

/* Without tmplgen, the user has committed the result, so nothing is left to do, or given it up. */
static int take_ended(struct recovery *out, const struct situation *s, struct err *err)
{
    const struct journal *j = &s->found.journal;
    struct oid commit;
    bool found;
    if (stopped_update_find_commit(&commit, &found, s->child, j, err) < 0)
        return -1;
    if (found) {
        out->document = report_recall(s->child->arena, j->report, RESULT_UP_TO_DATE, &commit);
        return apply_forget(s->apply, j, err) < 0 ? -1 : TG_OK;
    }
    /* The journal stays: a stash may bring the result back. */
    (void)err_set(err, TG_REFUSED, "nothing-in-progress",
                  "the update was given up by other means; nothing of it is committed");
    return hint_left_over(s, "'tmplgen update' starts again", err);
}

/* ---------------------------------------------------------------- back */

/* Where the level is above the first, the stop below it still waits. */
static int finish_abort(struct recovery *out, const struct situation *s, struct err *err)
{
    const struct journal *j = &s->found.journal;
    struct recheck_way_back back;
    const char *moved;
    if (undo_level(&moved, &back, s, j, &(struct oid){{0}}, err) < 0)
        return -1;
    if (is_left(&s->child->repo, &back))
        return refuse_left(&s->child->repo, &back, err);
    out->note = "an abort that was interrupted has been finished first";
    return j->run.level == 1 ? 0 : recover_again(out, s, err);
}

/* A run that went on from a stop can be repeated. */
static int continue_aborting(struct recovery *out, const struct situation *s, struct err *err)
{
    if (s->found.journal.run.level > 1)
        return finish_abort(out, s, err);
    (void)err_set(err, TG_REFUSED, "update-interrupted",
                  "an abort was interrupted: there is no way forward");
    return err_hint(err, "'tmplgen update --abort' finishes it");
}

/*
 * Goes back level by level. Makes no copy of content that the tree `known` has (zero: no tree), or
 * that the user committed on the way: it is not lost.
 */
static int go_back_from(struct recovery *out, const struct situation *s, struct oid known,
                        struct err *err)
{
    struct situation now = *s;
    struct arena *arena = s->child->arena;
    struct recheck_way_back back;
    const char *moved;
    int rc;
    do {
        struct oid before = now.found.journal.before.tree;
        rc = undo_level(&moved, &back, s, &now.found.journal, &known, err);
        if (rc < 0 || look(&now, err) < 0)
            return -1;
        int code = rc == 0 ? rebase_resume_try_return(&out->document, s->child, s->apply,
                                                      &now.found.journal, &before)
                           : -1;
        if (code >= 0)
            return code;
        if (look(&now, err) < 0)
            return -1;
        known = before;
    } while (now.found.state != APPLY_NONE && now.found.state != APPLY_STALE);
    bool stale = now.found.state == APPLY_STALE;
    if (rc > 0 || (stale && s->found.journal.kind == JOURNAL_COMMIT))
        return refuse_ended(out, &now, err);
    if (!stale)
        apply_tidy(s->apply); /* tidies up after a run that was cut off before it had a journal */
    out->document = report_recall(arena, s->found.journal.report, RESULT_ABORTED, NULL);
    if (moved)
        report_warn(arena, out->document,
                    arena_printf(arena, "after the interruption %s: that is left as it is", moved));
    report_kept(arena, out->document, &s->apply->kept);
    return tell_left(s, out->document, &back);
}

static int go_back(struct recovery *out, const struct situation *s, struct err *err)
{
    return go_back_from(out, s, (struct oid){{0}}, err);
}

/* HEAD has left the replayed commits: keeps files and HEAD as they are. */
static int leave(struct recovery *out, const struct situation *s, struct err *err)
{
    struct arena *arena = s->child->arena;
    out->document = report_recall(arena, s->found.journal.report, RESULT_ABORTED, NULL);
    if (apply_leave(s->apply, &s->found.journal, err) < 0)
        return -1;
    report_warn(arena, out->document,
                "HEAD had left the replayed commits: it is left where it is, and so are files");
    report_kept(arena, out->document, &s->apply->kept);
    return TG_OK;
}

static int leave_astray(struct recovery *out, const struct situation *s, struct err *err)
{
    struct child *child = s->child;
    const struct oid *tree = &child->repo.tree;
    bool on;
    if (recheck_went_on(&on, &child->repo, &s->found.journal, err) < 0 ||
        child_read(child, err) < 0)
        return -1;
    if (!on)
        return leave(out, s, err);
    if (index_differences(child->arena, child->index, &child->head).count)
        return go_back_from(out, s, *tree, err);
    return rebase_resume_return(&out->document, child, s->apply, &s->found.journal, tree, err);
}

/* ---------------------------------------------------------------- the table */

/* Each step returns an exit code, or -1. */
typedef int recovery_step(struct recovery *out, const struct situation *s, struct err *err);

static recovery_step *const steps[APPLY_STATES][WANTED] = {
    /*                  a look,             an update,      --continue,          --abort */
    [APPLY_NONE] = {pass, tidy, refuse_none, refuse_none},
    [APPLY_FORWARD] = {refuse_interrupted, finish, finish_both, go_back},
    [APPLY_STOPPED] = {refuse_waiting, refuse_waiting, take_stop, go_back},
    [APPLY_BACKWARD] = {refuse_interrupted, finish_abort, continue_aborting, go_back},
    [APPLY_ENDING] = {pass, finish_ended, finish_ended, refuse_finished},
    [APPLY_STALE] = {pass, forget_ended, take_ended, refuse_ended},
    [APPLY_ASTRAY] = {refuse_astray, refuse_astray, take_astray, leave_astray},
};

static int recover(struct recovery *out, enum wanted wanted, struct child *child,
                   struct apply *apply, struct err *err)
{
    struct situation s = {.wanted = wanted, .child = child, .apply = apply};
    const char *other;
    if (look(&s, err) < 0 || recover_other(&other, &child->repo, &s.found, err) < 0)
        return -1;
    bool ended = s.found.state == APPLY_STALE && wanted <= WANTED_UPDATE;
    return other && !ended ? refuse_other(other, err) : steps[s.found.state][wanted](out, &s, err);
}

int recover_first(struct recovery *out, struct child *child, struct apply *apply, struct err *err)
{
    *out = (struct recovery){.done = false};
    int code = recover(out, apply ? WANTED_UPDATE : WANTED_LOOK, child, apply, err);
    if (code < 0 || out->done || !apply)
        return code;
    return repo_read_head(&child->repo, err);
}

int update_end(struct data **document, struct arena *arena, const char *path, bool aborts,
               struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct child child;
    struct apply *apply = NULL;
    struct recovery recovery = {.done = false};
    int rc = child_open(&child, arena, path, err);
    if (rc == 0)
        rc = apply_open(&apply, &child.repo, err);
    if (rc == 0)
        rc = recover(&recovery, aborts ? WANTED_ABORT : WANTED_CONTINUE, &child, apply, err);
    *document = recovery.document;
    apply_close(apply);
    child_close(&child);
    return rc;
}

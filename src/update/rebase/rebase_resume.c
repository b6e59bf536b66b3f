/* Ends or resumes a stopped rebase, forward or back, wherever HEAD is. */

#include "apply/apply.h"
#include "apply/preflight.h"
#include "apply/recheck.h"
#include "base/arena.h"
#include "base/shell.h"
#include "child/base_ref.h"
#include "child/child.h"
#include "git/commit.h"
#include "git/ref.h"
#include "io/interrupt.h"
#include "update/rebase/replay.h"
#include "update/rebase/stopped_rebase.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/strategy.h"

int rebase_resume_refuse(const struct repo *repo, const struct journal *stopped, struct err *err)
{
    bool on;
    if (recheck_went_on(&on, repo, stopped, err) < 0)
        return -1;
    (void)err_set(err, TG_REFUSED, "update-in-progress",
                  "an update that replays the commits of '%s' is half done",
                  repo_branch_name(stopped->tip.branch));
    if (on)
        return err_hint(err, "'tmplgen update --continue' goes on with what you committed, "
                             "'tmplgen update --abort' goes back");
    return err_hint(err,
                    "HEAD has left it: `%s` goes back to where it waits; "
                    "'tmplgen update --abort' gives it up",
                    shell_command(repo->arena, "git switch --detach %s", stopped->tip.head_new));
}

/* Sets what became of the branch since the rebase left it, as in report_left; NULL: nothing. */
static int find_moved(const char **out, const struct repo *repo, const struct journal *stopped,
                      struct err *err)
{
    struct oid tip;
    bool found;
    if (ref_read(&tip, &found, repo, stopped->tip.branch, err) < 0)
        return -1;
    *out = !found ? "is gone" : oid_equal(&tip, &stopped->tip.branch_old) ? NULL : "has moved";
    return 0;
}

/* ---------------------------------------------------------------- on */

/* A stop has the lines of its commit; the end has those of the whole update. */
static int make_document(struct data **document, struct arena *arena, const struct journal *stopped,
                         const struct replay_result *replayed, struct err *err)
{
    bool stops = replayed->stops;
    struct span text = stopped->report;
    if (!stops && replayed->document && report_store(&text, arena, replayed->document, err) < 0)
        return -1;
    *document = report_recall(arena, text, stops ? RESULT_CONFLICTS : RESULT_UPDATED,
                              stops ? NULL : &replayed->tip);
    report_put_replayed(arena, *document, stops ? &replayed->stopped : NULL, replayed->commits);
    for (size_t i = 0; i < replayed->warnings.count; i++)
        report_warn(arena, *document, replayed->warnings.items[i]);
    return 0;
}

int rebase_resume_go_on(struct data **document, struct child *child, struct apply *apply,
                        const struct journal *stopped, const struct oid *made, struct err *err)
{
    struct arena *arena = child->arena;
    struct journal next;
    struct replay_result replayed;
    const char *moved;
    if (find_moved(&moved, &child->repo, stopped, err) < 0)
        return -1;
    if (moved) {
        (void)err_set(err, TG_REFUSED, "branch-moved", "'%s' %s while its commits are replayed",
                      repo_branch_name(stopped->tip.branch), moved);
        return err_hint(err, "'tmplgen update --abort' goes back to where it was, on no branch; "
                             "your resolutions are kept");
    }
    if (strategy_of(stopped)->resume(&next, &replayed, stopped, child, made, err) < 0 ||
        make_document(document, arena, stopped, &replayed, err) < 0 ||
        report_store(&next.report, arena, *document, err) < 0 || interrupt_check(err) < 0 ||
        apply_run(apply, &next, err) < 0)
        return -1;
    report_kept(arena, *document, &apply->kept);
    if (!journal_stops(&next))
        base_ref_prune(&child->repo, apply, (struct oid){{0}});
    return end_state_of(next.kind)->exit;
}

/* ---------------------------------------------------------------- back */

/* Lists the changes from the tree `from` to the branch's commit, on disk and in the index. */
static int list_changes(struct preflight *out, const struct child *child, const struct oid *branch,
                        const struct oid *from, struct err *err)
{
    const struct repo *repo = &child->repo;
    struct replay_edits edits;
    struct commit tip;
    if (repo_commit(&tip, repo->arena, repo->store, branch, err) < 0 ||
        replay_edits(&edits, repo, from, &tip.tree, NULL, 0, NULL, err) < 0)
        return -1;
    return preflight_files(out, repo, child->index, edits.edits, edits.count, err);
}

int rebase_resume_return(struct data **document, struct child *child, struct apply *apply,
                         const struct journal *stopped, const struct oid *from, struct err *err)
{
    const struct repo *repo = &child->repo;
    struct journal back;
    struct preflight files;
    struct identity who;
    const char *moved;
    *document = report_recall(repo->arena, stopped->report, RESULT_ABORTED, NULL);
    if (list_changes(&files, child, &stopped->tip.branch_old, from, err) < 0 ||
        identity_read(&who, repo->arena, repo->git, err) < 0 ||
        rebase_journal(&back, JOURNAL_UPDATE, repo, stopped, from, err) < 0 ||
        find_moved(&moved, repo, stopped, err) < 0)
        return -1;
    const char *commit = oid_text(repo->arena, &stopped->tip.branch_old);
    if (moved)
        back.tip.head_new = commit;
    back.tip.reflog_who = who.committer;
    back.tip.reflog_what = "tmplgen update --abort";
    back.files = files.files;
    back.steps = stopped->steps;
    back.report = stopped->report;
    if (apply_run(apply, &back, err) < 0)
        return -1;
    base_ref_prune(repo, apply, (struct oid){{0}});
    report_kept(repo->arena, *document, &apply->kept);
    if (!moved)
        return TG_OK;
    report_left(repo->arena, *document, repo_branch_name(stopped->tip.branch), moved, commit);
    return TG_REFUSED;
}

/* True where the tree differs from the run's start in paths that the journal lacks. */
static int has_more(bool *out, const struct repo *repo, const struct journal *stopped,
                    const struct oid *committed, struct err *err)
{
    struct replay_edits edits;
    struct commit tip;
    *out = false;
    if (repo_commit(&tip, repo->arena, repo->store, &stopped->tip.branch_old, err) < 0)
        return -1;
    /* an earlier stop, or the branch */
    const struct oid *from = oid_is_zero(&stopped->before.tree) ? &tip.tree : &stopped->before.tree;
    if (replay_edits(&edits, repo, committed, from, NULL, 0, NULL, err) < 0)
        return -1;
    for (size_t i = 0; !*out && i < edits.count; i++)
        *out = !journal_change(&stopped->files, edits.edits[i].path);
    return 0;
}

int rebase_resume_try_return(struct data **document, struct child *child, struct apply *apply,
                             const struct journal *stopped, const struct oid *committed)
{
    ERR_SCRATCH(why);
    bool on, more;
    if (oid_is_zero(committed) || !journal_is_sequence(stopped) ||
        recheck_went_on(&on, &child->repo, stopped, &why) < 0 || !on ||
        has_more(&more, &child->repo, stopped, committed, &why) < 0 || !more ||
        child_read(child, &why) < 0)
        return -1;
    return rebase_resume_return(document, child, apply, stopped, committed, &why);
}

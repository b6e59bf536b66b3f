/* An update that replays commits and stopped on the way: on, or back, from wherever HEAD is. */
#include "update/rebase/rebase_resume.h"

#include "apply/apply.h"
#include "apply/preflight.h"
#include "apply/recheck.h"
#include "base/arena.h"
#include "base/shell.h"
#include "child/base_ref.h"
#include "child/child.h"
#include "git/commit.h"
#include "git/git_index.h"
#include "io/interrupt.h"
#include "update/rebase/replay_edits.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/strategies.h"

int rebase_resume_refuse(const struct rebase_resume *s, struct err *err)
{
    const struct journal *j = s->stopped;
    bool on;
    if (recheck_went_on(&on, &s->child->repo, j, err) < 0)
        return -1;
    (void)err_set(err, TG_REFUSED, "update-in-progress",
                  "an update that replays the commits of '%s' is half done",
                  repo_branch_name(j->branch));
    if (on)
        return err_hint(err, "'tmplgen update --continue' goes on with what you committed, "
                             "'tmplgen update --abort' goes back");
    return err_hint(err,
                    "HEAD has left it: `%s` goes back to where it waits; "
                    "'tmplgen update --abort' gives it up",
                    shell_command(s->child->repo.arena, "git switch --detach %s", j->head_new));
}

/* The lines of a stop are of its commit; at the end they are the whole update's again. */
static int make_document(struct data **document, const struct rebase_resume *s,
                         const struct unrolled *unrolled, struct err *err)
{
    struct arena *arena = s->child->arena;
    struct span text = s->stopped->report;
    if (!unrolled->stops && unrolled->document &&
        report_store(&text, arena, unrolled->document, err) < 0)
        return -1;
    *document = report_recall(arena, text, unrolled->stops ? RESULT_CONFLICTS : RESULT_UPDATED,
                              unrolled->stops ? NULL : oid_text(arena, &unrolled->tip));
    if (unrolled->stops)
        report_put_paths(arena, *document, &unrolled->stopped);
    report_put_commits(arena, *document, unrolled->commits);
    for (size_t i = 0; i < unrolled->warning_count; i++)
        report_warn(arena, *document, unrolled->warnings[i]);
    return 0;
}

int rebase_resume_go_on(struct data **document, const struct rebase_resume *s,
                        const struct oid *made, struct err *err)
{
    struct arena *arena = s->child->arena;
    struct journal next;
    struct unrolled unrolled;
    if (strategy_of(s->stopped)->go_on(&next, &unrolled, s->stopped, s->child, made, err) < 0 ||
        make_document(document, s, &unrolled, err) < 0 ||
        report_store(&next.report, arena, *document, err) < 0 || interrupt_check(err) < 0 ||
        apply_run(s->apply, &next, err) < 0)
        return -1;
    report_kept(arena, *document, s->apply);
    if (!journal_stops(&next))
        base_ref_prune(&s->child->repo, s->apply, (struct oid){{0}});
    return end_state_of(next.kind)->exit;
}

/* The commit that the branch is at, on disk and in the index. */
static int list_changes(struct preflight *out, const struct rebase_resume *s,
                        const struct oid *from, struct err *err)
{
    const struct repo *repo = &s->child->repo;
    struct replay_edits edits;
    struct commit tip;
    if (repo_commit(&tip, repo->arena, repo->store, &s->stopped->branch_old, err) < 0 ||
        replay_edits(&edits, repo, from, &tip.tree, NULL, 0, NULL, err) < 0)
        return -1;
    return preflight_files(out, repo, s->child->index, edits.edits, edits.count, err);
}

int rebase_resume_return(const struct rebase_resume *s, const struct oid *from, struct err *err)
{
    const struct repo *repo = &s->child->repo;
    const struct journal *j = s->stopped;
    char *sum = arena_alloc(repo->arena, 41);
    struct preflight files;
    struct identity who;
    if (list_changes(&files, s, from, err) < 0 ||
        identity_read(&who, repo->arena, repo->git, err) < 0 ||
        index_checksum(sum, repo_index_path(repo), err) < 0)
        return -1;
    struct journal back = {.kind = JOURNAL_UPDATE,
                           .head_old = repo->head_text,
                           .head_new = arena_printf(repo->arena, "ref: %s", j->branch),
                           .branch = j->branch,
                           .branch_old = j->branch_old,
                           .branch_new = j->branch_old,
                           .strategy = j->strategy,
                           .pseudoref = j->pseudoref,
                           .reflog_who = who.committer,
                           .reflog_what = "tmplgen update --abort",
                           .index_old = sum,
                           .changes = files.changes,
                           .change_count = files.count,
                           .steps = j->steps,
                           .step_count = j->step_count,
                           .report = j->report};
    if (recheck_before(&back.before, repo, j, from, err) < 0 || apply_run(s->apply, &back, err) < 0)
        return -1;
    base_ref_prune(&s->child->repo, s->apply, (struct oid){{0}});
    return 0;
}

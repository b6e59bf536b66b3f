/* From a plan to its effect: a commit, a stop, a staged result; or only a report of that. */
#include "update/strategy/commit_plan.h"

#include "apply/apply.h"
#include "apply/preflight.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/origin.h"
#include "child/base_ref.h"
#include "child/child.h"
#include "data/document.h"
#include "git/commit.h"
#include "git/patch.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/interrupt.h"
#include "update/base/proven_base.h"
#include "update/next_steps.h"
#include "update/report/commit_message.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/strategy.h"
#include "update/summary.h"

#include <stdlib.h>
#include <string.h>

/* The effect of the decision on commits, files and index. */
struct effect {
    enum journal_kind kind;
    struct strategy_input in;
    struct replay_result replayed;
    struct plan_edit *edits; /* the plan's and the record's, from the top of the work tree */
    size_t edit_count;
    struct preflight files;
};

/* ---------------------------------------------------------------- the effect */

/* Every file of the new render becomes an object: the next update's base needs them. */
static int put_objects(struct strategy_input *in, const struct update_facts *f, struct err *err)
{
    const struct repo *repo = &f->child->repo;
    struct span record;
    in->record.mode = f->adopts ? LEAF_FILE : f->child->record.leaf.mode;
    if (record_text(&record, repo->arena, &f->target->record, err) < 0 ||
        store_put(&in->record.id, repo->store, STORE_BLOB, record, err) < 0 ||
        plan_list_put(&in->render_tree, repo->store, repo->arena, &f->render, err) < 0)
        return -1;
    return base_commit_put(&in->base_commit, repo->store, &in->render_tree, "", err);
}

static void list_edits(struct effect *e, const struct update_facts *f, const struct plan *plan)
{
    const struct repo *repo = &f->child->repo;
    const struct tree_entry old = f->child->record.leaf;
    e->edits = arena_array(repo->arena, plan->edit_count + 1, sizeof(*e->edits));
    for (size_t i = 0; i < plan->edit_count; i++) {
        e->edits[i] = plan->edits[i];
        e->edits[i].path = repo_path(repo, e->edits[i].path);
    }
    e->edit_count = plan->edit_count;
    if (!tree_entry_equal(&old, &e->in.record))
        e->edits[e->edit_count++] = (struct plan_edit){
            .path = repo_path(repo, RECORD_PATH), .old = old, .disk = e->in.record};
    plan_sort_edits(e->edits, e->edit_count);
}

static int result_tree(struct oid *out, const struct effect *e, struct err *err)
{
    const struct repo *repo = e->in.repo;
    struct tree_edit *edits = arena_array(repo->arena, e->edit_count + 1, sizeof(*edits));
    size_t count = 0;
    for (size_t i = 0; i < e->edit_count; i++)
        if (e->edits[i].disk.mode || e->edits[i].old.mode) /* others are in the index alone */
            edits[count++] = (struct tree_edit){e->edits[i].path, e->edits[i].disk};
    return tree_edit(out, repo->store, repo->store, repo_tree(repo), edits, count, err);
}

/* Replays the child's commits, which changes its files. */
static int replay(struct effect *e, const struct strategy *strategy, struct words *warnings,
                  struct err *err)
{
    const struct repo *repo = e->in.repo;
    if (identity_read(&e->in.who, repo->arena, repo->git, err) < 0 ||
        result_tree(&e->in.result, e, err) < 0 || strategy->replay(&e->replayed, &e->in, err) < 0)
        return -1;
    e->edits = e->replayed.edits;
    e->edit_count = e->replayed.edit_count;
    for (size_t i = 0; i < e->replayed.warnings.count; i++)
        words_add(warnings, repo->arena, e->replayed.warnings.items[i]);
    return 0;
}

static enum journal_kind kind_of(const struct effect *e, const struct update_options *options,
                                 const struct update_decision *d)
{
    if (options->strategy->replay)
        return e->replayed.stops ? JOURNAL_CONFLICT : JOURNAL_UPDATE;
    if (d->plan.conflict_count && !d->beside_count)
        return JOURNAL_CONFLICT;
    return options->no_commit ? JOURNAL_STAGED : JOURNAL_UPDATE;
}

static int make_effect(struct effect *e, const struct update_facts *f,
                       const struct update_decision *d, struct words *warnings, struct err *err)
{
    const struct update_options *options = f->options;
    const struct repo *repo = &f->child->repo;
    *e = (struct effect){.in = {.repo = repo,
                                .base = f->base,
                                .made = &f->child->record.made,
                                .sealed = options->branch != NULL,
                                .input = &d->input,
                                .plan = &d->plan,
                                .manifest = f->target->manifest,
                                .rewrite_published = options->rewrite_published,
                                .branch = options->branch}};
    if (put_objects(&e->in, f, err) < 0)
        return -1;
    list_edits(e, f, &d->plan);
    if (options->strategy->replay && replay(e, options->strategy, warnings, err) < 0)
        return -1;
    e->kind = kind_of(e, options, d);
    return preflight_files(&e->files, repo, f->child->index, e->edits, e->edit_count, err);
}

/* ---------------------------------------------------------------- the report */

static struct report report_of(const struct update_facts *f, const struct update_decision *d,
                               const struct effect *e, const struct words *warnings)
{
    return (struct report){.facts = f,
                           .base = f->adopts ? NULL : f->base,
                           .plan = &d->plan,
                           .beside = d->beside,
                           .beside_count = d->beside_count,
                           .adopted = e->files.adopted,
                           .commits = e->replayed.commits,
                           .rewritten = e->replayed.rewritten,
                           .warnings = *warnings};
}

/* Reports an update with that end; returns its exit code. */
static int report_end(struct update_outcome *out, struct report report, const struct effect *e,
                      enum journal_kind kind, const char *commit)
{
    const struct end_state *end = end_state_of(report.beside_count ? JOURNAL_CONFLICT : kind);
    report.result = end->result;
    report.commit = commit;
    if (e->replayed.stops)
        report.plan = &e->replayed.stopped;
    out->document = report_document(e->in.repo->arena, &report);
    return end->exit;
}

/* The branch of --refresh and HEAD stay where they are. */
static int report_same(struct update_outcome *out, struct report report, const struct effect *e,
                       const char *commit)
{
    if (report.beside_count)
        return report_end(out, report, e, JOURNAL_UPDATE, commit);
    report.result = RESULT_UP_TO_DATE;
    report.commit = commit;
    out->document = report_document(e->in.repo->arena, &report);
    return TG_OK;
}

/* ---------------------------------------------------------------- texts */

static const char *deed(const struct update_facts *f)
{
    struct arena *arena = f->child->arena;
    const char *type = f->child->record.wanted.type, *catalog = f->target->catalog_name;
    const char *from = f->adopts ? NULL : origin_words(arena, &f->child->record.made.catalog);
    const char *to = origin_words(arena, &f->target->origin);
    if (f->adopts)
        return arena_printf(arena, "Adopt template %s of %s %s", type, catalog, to);
    if (strcmp(from, to) == 0)
        return arena_printf(arena, "Update from template %s of %s %s", type, catalog, to);
    return arena_printf(arena, "Update template %s of %s from %s to %s", type, catalog, from, to);
}

/* Names the project's folder where the repository has others. */
static const char *subject(const struct update_facts *f)
{
    const char *prefix = f->child->repo.prefix, *done = deed(f);
    return *prefix
               ? arena_printf(f->child->arena, "%.*s: %s", (int)strlen(prefix) - 1, prefix, done)
               : done;
}

static const char *reflog(const struct update_facts *f)
{
    struct arena *arena = f->child->arena;
    const char *to = origin_words(arena, &f->target->origin);
    if (f->adopts)
        return arena_printf(arena, "tmplgen adopt: %s", to);
    return arena_printf(arena, "tmplgen update: %s -> %s",
                        origin_words(arena, &f->child->record.made.catalog), to);
}

/* Trailers are the last paragraph, even of a message that the user gave. */
static const char *message_of(const struct update_facts *f, const struct effect *e)
{
    struct message message = {.subject = subject(f),
                              .given = f->options->message,
                              .stack = f->target->stack,
                              .notes = f->target->notes,
                              .signer = f->options->signoff ? &e->in.who : NULL};
    if (!end_state_of(e->kind)->commits) /* git's editor strips comments */
        message.comment = repo_comment_char(e->in.repo);
    return message_format(f->child->arena, &message);
}

static const char *conflict_message(const struct effect *e, const char *message)
{
    const struct repo *repo = e->in.repo;
    char mark = repo_comment_char(repo);
    if (str_equal(repo_text(repo, "core.commentchar"), "auto"))
        return message; /* git would use another comment character, and keep these lines */
    const char *text = arena_printf(repo->arena, "%s\n%c Conflicts:\n", message, mark);
    for (size_t i = 0; i < e->edit_count; i++)
        if (e->edits[i].conflict) {
            BUF_SCRATCH(path, LIMIT_MIB);
            (void)unicode_mask(&path, span_from(e->edits[i].path), false);
            text = arena_printf(repo->arena, "%s%c\t%s\n", text, mark, buf_text(&path));
        }
    return text;
}

/* ---------------------------------------------------------------- the journal */

/* Adds the ref of the new base commit. */
static int add_base_ref(struct journal_refs *refs, const struct strategy_input *in, struct err *err)
{
    struct arena *arena = in->repo->arena;
    struct oid there;
    bool found;
    refs->items = arena_array(arena, 1, sizeof(*refs->items));
    struct journal_ref *ref = &refs->items[refs->count++];
    ref->name = base_ref_name(arena, &in->render_tree);
    ref->target = in->base_commit;
    if (repo_ref(&there, &found, in->repo, ref->name, err) < 0)
        return -1;
    ref->is_new = !found;
    return 0;
}

static void fill_tip(struct journal_tip *tip, const struct update_facts *f, const struct effect *e)
{
    struct arena *arena = e->in.repo->arena;
    tip->reflog_who = e->in.who.committer;
    tip->reflog_what = reflog(f);
    if (!f->options->branch)
        return;
    tip->branch = arena_printf(arena, "refs/heads/%s", f->options->branch);
    tip->branch_old = f->refresh.tip ? *f->refresh.tip : (struct oid){{0}};
    tip->head_new = arena_printf(arena, "ref: %s", tip->branch);
}

static void warn_of_identity(struct words *warnings, const struct update_facts *f,
                             const struct effect *e)
{
    struct arena *arena = f->child->arena;
    if (e->in.who.fallback)
        words_printf(warnings, arena,
                     "git knows no user here: committed as %s (set user.name and "
                     "user.email)",
                     e->in.who.name);
    if (repo_flag(e->in.repo, "commit.gpgsign", false) && !f->options->no_commit)
        words_add(warnings, arena,
                  f->options->strategy->replay
                      ? "commit.gpgSign is set, but tmplgen signs nothing"
                      : "commit.gpgSign is set, but tmplgen signs nothing: --no-commit leaves the "
                        "commit to you");
}

static int fill_journal(struct journal *j, struct effect *e, const struct update_facts *f,
                        const struct update_decision *d, struct words *warnings, struct err *err)
{
    const struct repo *repo = e->in.repo;
    const struct strategy *strategy = f->options->strategy;
    if (journal_begin(j, e->kind, repo, err) < 0 ||
        identity_read(&e->in.who, repo->arena, repo->git, err) < 0 ||
        add_base_ref(&j->refs, &e->in, err) < 0)
        return -1;
    j->strategy = strategy->name;
    j->files = e->files.files;
    fill_tip(&j->tip, f, e);
    warn_of_identity(warnings, f, e);
    const char *message = message_of(f, e);
    j->stop.message = e->kind == JOURNAL_CONFLICT ? conflict_message(e, message) : message;
    if (e->kind == JOURNAL_UPDATE && !strategy->replay && result_tree(&e->in.result, e, err) < 0)
        return -1;
    if (e->replayed.stops) { /* the report for the run that ends it */
        struct report whole = report_of(f, d, e, warnings);
        whole.result = RESULT_UPDATED;
        e->replayed.document = report_document(repo->arena, &whole);
    }
    return strategy->fill_journal(j, &e->in, &e->replayed, message, err);
}

static int carry_out(struct update_outcome *out, struct apply *apply, struct effect *e,
                     const struct update_facts *f, const struct update_decision *d,
                     struct words *warnings, struct err *err)
{
    const struct repo *repo = e->in.repo;
    struct journal j;
    bool commits = end_state_of(e->kind)->commits, same = false;
    if (fill_journal(&j, e, f, d, warnings, err) < 0)
        return -1;
    struct report report = report_of(f, d, e, warnings);
    if (commits && f->refresh.tip &&
        branch_refresh_is_same(&same, repo, f->refresh.tip, &j.tip.branch_new, err) < 0)
        return -1;
    if (same)
        return report_same(out, report, e, f->refresh.old_tip);
    if (commits && branch_refresh_take_copy(&j.tip.branch_new, &f->refresh, repo, err) < 0)
        return -1;
    int code = report_end(out, report, e, e->kind,
                          commits ? oid_text(repo->arena, &j.tip.branch_new) : NULL);
    if (report_store(&j.report, repo->arena, out->document, err) < 0 || interrupt_check(err) < 0 ||
        apply_run(apply, &j, err) < 0)
        return -1;
    report_kept(repo->arena, out->document, &apply->kept);
    interrupt_settle();
    proof_keep(repo, &f->target->record, &f->target->render);
    if (commits)
        base_ref_prune(repo, apply, e->in.render_tree);
    return code;
}

/* ---------------------------------------------------------------- looking only */

static int foresee(struct update_outcome *out, const struct effect *e, const struct update_facts *f,
                   const struct update_decision *d, struct words *warnings, struct err *err)
{
    const struct repo *repo = e->in.repo;
    const struct data *commits = e->replayed.commits;
    const struct oid *from = e->replayed.stops ? &e->replayed.from : repo_tree(repo);
    struct oid tree = e->replayed.tree;
    struct span diff;
    int code = report_end(out, report_of(f, d, e, warnings), e, e->kind, NULL);
    if ((!f->options->strategy->replay && result_tree(&tree, e, err) < 0) ||
        patch_trees(&diff, repo->arena, repo, from, &tree, err) < 0)
        return -1;
    /* the update itself makes the commits anew, with other ids */
    for (size_t i = 0; commits && i < commits->list.count; i++)
        data_put_text(repo->arena, commits->list.items[i], "to", NULL);
    data_add(repo->arena, out->document, FIELD("diff", data_span(repo->arena, diff)),
             FIELD("next", next_foreseen(repo->arena)));
    return code;
}

int commit_plan(struct update_outcome *out, struct apply *apply, const struct update_facts *facts,
                const struct update_decision *decision, struct words *warnings, struct err *err)
{
    struct effect effect;
    if (make_effect(&effect, facts, decision, warnings, err) < 0 ||
        summary_place_check_edits(facts->options->output, &facts->child->repo, effect.edits,
                                  effect.edit_count, err) < 0 ||
        interrupt_check(err) < 0)
        return -1;
    if (effect.edit_count == 0) {
        out->document = report_unplanned(facts, warnings, RESULT_UP_TO_DATE);
        return TG_OK;
    }
    return facts->options->dry_run ? foresee(out, &effect, facts, decision, warnings, err)
                                   : carry_out(out, apply, &effect, facts, decision, warnings, err);
}

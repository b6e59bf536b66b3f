/* `update`: a child takes the newest version of its template. */
#include "update/update.h"

#include "apply/apply.h"
#include "apply/preflight.h"
#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/origin.h"
#include "child/base_ref.h"
#include "child/child.h"
#include "child/proof.h"
#include "data/data.h"
#include "git/commit.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/patch.h"
#include "git/store.h"
#include "git/tree.h"
#include "git/upstream.h"
#include "io/interrupt.h"
#include "plan/plan.h"
#include "plan/planner.h"
#include "update/base/base_given.h"
#include "update/base/base_render.h"
#include "update/base/proven_base.h"
#include "update/next_steps.h"
#include "update/outcome.h"
#include "update/recover.h"
#include "update/report/commit_message.h"
#include "update/report/summary_place.h"
#include "update/report/update_report.h"
#include "update/resume/branch_refresh.h"
#include "update/resume/end_state.h"
#include "update/resume/on_conflict.h"
#include "update/strategy.h"
#include "update/target/restore.h"
#include "update/target/target.h"

#include <stdlib.h>
#include <string.h>

struct updating {
    struct update_outcome *out;
    const struct update_options *options;
    struct arena *arena;
    struct child child;
    struct apply *apply; /* NULL with --check and --dry-run */
    struct target target;
    struct base base;
    struct span record; /* the new one, as a file, */
    struct tree_entry record_leaf;
    struct plan_input input;
    struct plan plan;
    struct unrolled unrolled; /* of a strategy that replays commits */
    struct beside *beside;    /* of conflicts that are committed */
    size_t beside_count;
    struct plan_edit *edits; /* the plan's and the record's, from the top of the work tree */
    size_t edit_count;
    struct preflight files;
    struct oid render_tree; /* of the new render */
    struct identity who;
    struct refresh refresh; /* of --refresh */
    bool adopts;            /* there is no record yet, and so no version before */
    const char **warnings;
    size_t warning_count;
    struct err *err;
};

static void warn(struct updating *u, const char *text)
{
    u->warnings = arena_grow(u->arena, u->warnings, u->warning_count, sizeof(*u->warnings));
    u->warnings[u->warning_count++] = text;
}

static bool only_looks(const struct updating *u)
{
    return u->options->check || u->options->dry_run;
}

static int report(struct updating *u, const char *result, const struct base *base,
                  const struct plan *plan, const char *commit, int code)
{
    struct report report = {.result = result,
                            .strategy = u->options->strategy->name,
                            .provenance = &u->child.record,
                            .target = &u->target,
                            .base = base,
                            .plan = plan,
                            .prefix = u->child.repo.prefix,
                            .commit = commit,
                            .branch = u->options->branch,
                            .old_tip = u->refresh.old_tip,
                            .beside = u->beside,
                            .beside_count = u->beside_count,
                            .adopted = u->files.adopted,
                            .adopted_count = u->files.adopted_count,
                            .commits = u->unrolled.commits,
                            .rewritten = u->unrolled.rewritten,
                            .warnings = u->warnings,
                            .warning_count = u->warning_count};
    u->out->document = report_document(u->arena, &report);
    return code;
}

/* ---------------------------------------------------------------- what to do */

static int check_upstream(struct updating *u)
{
    struct record theirs;
    struct oid commit;
    bool found;
    const char *name;
    const struct catalog_origin *here = &u->child.record.wanted.catalog;
    if (upstream_find(&commit, &found, &name, &u->child.repo, u->err) < 0)
        return -1;
    if (!found)
        return 0;
    if (provenance_at(&theirs, &found, &u->child.repo, &commit, u->err) < 0)
        return -1;
    if (!found || origin_compare(&theirs.catalog, here) <= 0)
        return 0;
    (void)err_set(u->err, TG_REFUSED, "behind-upstream",
                  "'%s' is at version %s of the template already, here it is %s", name,
                  origin_words(u->arena, &theirs.catalog), origin_words(u->arena, here));
    return err_hint(u->err, "pull first");
}

static int prove_base(struct updating *u)
{
    struct plan_list render;
    base_list_render(&render, u->arena, &u->target.render);
    struct base_options options = {.commit = u->options->base,
                                   .trust = u->options->trust_base,
                                   .child = &u->child.files,
                                   .render = &render,
                                   .alike = &u->target.render,
                                   .accept_drift = u->options->accept_drift,
                                   .moved_to = u->options->target.source};
    if (base_prove(&u->base, &u->child.repo, &u->child.record.made, &options, u->err) < 0)
        return -1;
    if (u->base.note)
        warn(u, u->base.note);
    return 0;
}

static const char *made_words(const struct updating *u)
{
    return origin_words(u->arena, &u->child.record.made.catalog);
}

static const char *target_words(const struct updating *u)
{
    return origin_words(u->arena, &u->target.origin);
}

/* Every file of the new render is an object: the base commit of the next update holds them. */
static int put_render(struct updating *u, const struct plan_list *render)
{
    struct tree_edit *edits = arena_array(u->arena, render->count + 1, sizeof(*edits));
    for (size_t i = 0; i < render->count; i++) {
        const struct plan_file *file = &render->files[i];
        store_lend(u->child.repo.store, &file->leaf.id, STORE_BLOB, file->bytes, span_of(NULL, 0));
        edits[i] = (struct tree_edit){file->path, file->leaf};
    }
    return tree_edit(&u->render_tree, u->child.repo.store, u->child.repo.store, NULL, edits,
                     render->count, u->err);
}

static int make_plan(struct updating *u)
{
    const struct target *target = &u->target;
    struct plan_input *input = &u->input;
    *input = (struct plan_input){
        .side = {u->base.files, conflicts_apart(u->arena, &u->child.files), {0}},
        .base_has_rules = u->base.has_rules,
        .rename_old = target->migrated.rename_old,
        .rename_new = target->migrated.rename_new,
        .rename_count = target->migrated.rename_count,
        .yours = u->child.record.wanted.yours,
        .yours_count = u->child.record.wanted.yours_count,
        .restore_count = u->options->restore_count,
        .any_case = disk_ignores_case(u->child.repo.top_fd),
        .base_label = arena_printf(u->arena, "template %s", made_words(u)),
        .render_label = arena_printf(u->arena, "template %s", target_words(u))};
    base_list_render(&input->side[RENDER], u->arena, &target->render);
    if (put_render(u, &input->side[RENDER]) < 0 ||
        restore_find(&input->restore, &u->child, input, u->options->restore, input->restore_count,
                     u->err) < 0)
        return -1;
    return plan_make(&u->plan, u->arena, u->child.repo.store, input, u->err);
}

/* A base that somebody named has the child's own edits: where the template won, they are gone. */
static void tell_undone(struct updating *u)
{
    struct path_list list = {arena_array(u->arena, u->plan.path_count + 1, sizeof(char *)), 0};
    struct intern undone = {0};
    for (size_t i = 0; i < u->base.undone_count; i++)
        (void)intern_add(&undone, u->arena, span_from(u->base.undone[i]));
    for (size_t i = 0; undone.count && i < u->plan.path_count; i++) {
        struct plan_path *path = &u->plan.paths[i];
        if (intern_find(&undone, span_from(path->path)) == INTERN_NONE ||
            (path->state != PATH_UPDATED && path->state != PATH_MERGED))
            continue;
        const char *before = path->note;
        path->note = arena_printf(u->arena, "%s%sundone: what you had changed in it by '%s'",
                                  before ? before : "", before ? "; " : "", u->options->base);
        list.paths[list.count++] = path->path;
    }
    if (list.count)
        warn(u, arena_printf(u->arena,
                             "--trust-base: what '%s' has counts as the template's; undone is what "
                             "you had changed by then in %s",
                             u->options->base, base_given_list(u->arena, &list, "")));
}

static void settle_conflicts(struct updating *u)
{
    const char *left = conflicts_left(u->arena, &u->child.files);
    if (left)
        warn(u, left);
    if (u->options->commit_conflicts && u->plan.conflict_count)
        u->beside = conflicts_commit(&u->beside_count, u->arena, &u->child, &u->plan);
}

static unsigned record_mode(const struct updating *u)
{
    return u->adopts ? LEAF_FILE : u->child.record.leaf.mode;
}

static int list_edits(struct updating *u)
{
    u->edits = arena_array(u->arena, u->plan.edit_count + 1, sizeof(*u->edits));
    for (size_t i = 0; i < u->plan.edit_count; i++) {
        u->edits[i] = u->plan.edits[i];
        u->edits[i].path = repo_path(&u->child.repo, u->edits[i].path);
    }
    struct plan_edit *record = &u->edits[u->plan.edit_count];
    *record = (struct plan_edit){.path = repo_path(&u->child.repo, RECORD_PATH),
                                 .old = u->child.record.leaf,
                                 .disk.mode = record_mode(u)};
    if (store_put(&record->disk.id, u->child.repo.store, STORE_BLOB, u->record, u->err) < 0)
        return -1;
    u->record_leaf = record->disk;
    u->edit_count = u->plan.edit_count + !tree_entry_equal(&record->old, &record->disk);
    plan_sort_edits(u->edits, u->edit_count);
    return 0;
}

static int check_files(struct updating *u)
{
    return preflight_files(&u->files, &u->child.repo, u->child.index, u->edits, u->edit_count,
                           u->err);
}

/* ---------------------------------------------------------------- the commit */

static const char *subject(const struct updating *u)
{
    const struct target *t = &u->target;
    const char *from = u->adopts ? NULL : made_words(u), *to = target_words(u);
    if (u->adopts)
        return arena_printf(u->arena, "Adopt template %s of %s %s", u->child.record.wanted.type,
                            t->catalog_name, to);
    if (strcmp(from, to) == 0)
        return arena_printf(u->arena, "Update from template %s of %s %s",
                            u->child.record.wanted.type, t->catalog_name, to);
    return arena_printf(u->arena, "Update template %s of %s from %s to %s",
                        u->child.record.wanted.type, t->catalog_name, from, to);
}

static int result_tree(struct oid *out, struct updating *u)
{
    struct tree_edit *edits = arena_array(u->arena, u->edit_count + 1, sizeof(*edits));
    size_t count = 0;
    for (size_t i = 0; i < u->edit_count; i++)
        if (u->edits[i].disk.mode || u->edits[i].old.mode) /* else in the index alone */
            edits[count++] = (struct tree_edit){u->edits[i].path, u->edits[i].disk};
    return tree_edit(out, u->child.repo.store, u->child.repo.store, repo_tree(&u->child.repo),
                     edits, count, u->err);
}

/* Trailers are the last paragraph: of a message that is given, too. */
static const char *message_of(const struct updating *u, enum journal_kind kind)
{
    struct message message = {.subject = subject(u),
                              .given = u->options->message,
                              .stack = u->target.stack,
                              .notes = u->target.notes,
                              .signer = u->options->signoff ? &u->who : NULL};
    if (!end_state_of(kind)->commits) /* git's editor strips comments */
        message.comment = repo_comment_char(&u->child.repo);
    return message_format(u->arena, &message);
}

static const char *conflict_message(const struct updating *u, const char *message)
{
    char mark = repo_comment_char(&u->child.repo);
    if (str_equal(repo_text(&u->child.repo, "core.commentchar"), "auto"))
        return message; /* git would take another character for comments, and keep these */
    const char *text = arena_printf(u->arena, "%s\n%c Conflicts:\n", message, mark);
    for (size_t i = 0; i < u->edit_count; i++)
        if (u->edits[i].conflict) {
            BUF_SCRATCH(path, LIMIT_MIB);
            (void)unicode_mask(&path, span_from(u->edits[i].path), false);
            text = arena_printf(u->arena, "%s%c\t%s\n", text, mark, buf_text(&path));
        }
    return text;
}

/* The new base commit, under its ref. */
static int add_base_ref(struct updating *u, struct journal *j)
{
    char hex[41];
    struct oid there;
    bool found;
    j->refs = arena_array(u->arena, 1, sizeof(*j->refs));
    struct journal_ref *ref = &j->refs[j->ref_count++];
    oid_hex(hex, &u->render_tree);
    ref->name = arena_printf(u->arena, BASE_REF_PREFIX "%s", hex);
    if (base_commit_put(&ref->target, u->child.repo.store, &u->render_tree, "", u->err) < 0 ||
        repo_ref(&there, &found, &u->child.repo, ref->name, u->err) < 0)
        return -1;
    ref->is_new = !found;
    return 0;
}

static int fill_branch(struct updating *u, struct journal *j)
{
    const struct repo *repo = &u->child.repo;
    j->head_old = j->head_new = repo->head_text;
    j->branch = repo->branch;
    j->branch_old = repo->head;
    if (u->options->branch) {
        j->branch = arena_printf(u->arena, "refs/heads/%s", u->options->branch);
        j->branch_old = u->refresh.tip ? *u->refresh.tip : (struct oid){{0}};
        j->head_new = arena_printf(u->arena, "ref: %s", j->branch);
    }
    j->branch_new = repo->head;
    return 0;
}

static enum journal_kind journal_kind(const struct updating *u)
{
    if (u->options->strategy->replay)
        return u->unrolled.stops ? JOURNAL_CONFLICT : JOURNAL_UPDATE;
    if (u->plan.conflict_count && !u->beside_count)
        return JOURNAL_CONFLICT;
    return u->options->no_commit ? JOURNAL_STAGED : JOURNAL_UPDATE;
}

static int make_landing(struct strategy_step *out, struct updating *u)
{
    *out = (struct strategy_step){.arena = u->arena,
                                  .repo = &u->child.repo,
                                  .base = &u->base,
                                  .made = &u->child.record.made,
                                  .base_tree = u->render_tree,
                                  .record = u->record_leaf,
                                  .who = &u->who,
                                  .sealed = u->options->branch != NULL,
                                  .input = &u->input,
                                  .plan = &u->plan,
                                  .manifest = u->target.manifest,
                                  .rewrite_published = u->options->rewrite_published,
                                  .branch = u->options->branch,
                                  .unrolled = &u->unrolled};
    return base_commit_put(&out->base_commit, u->child.repo.store, &u->render_tree, "", u->err);
}

/* Of a strategy that replays commits: what becomes of them, and so of files. */
static int replay(struct updating *u)
{
    const struct strategy *strategy = u->options->strategy;
    struct strategy_step landing;
    if (!strategy->replay)
        return 0;
    if (identity_read(&u->who, u->arena, u->child.repo.git, u->err) < 0 ||
        make_landing(&landing, u) < 0 || result_tree(&landing.result, u) < 0 ||
        strategy->replay(&u->unrolled, &landing, u->err) < 0)
        return -1;
    u->edits = u->unrolled.edits;
    u->edit_count = u->unrolled.edit_count;
    for (size_t i = 0; i < u->unrolled.warning_count; i++)
        warn(u, u->unrolled.warnings[i]);
    return 0;
}

static int land(struct updating *u, struct journal *j, const char *message)
{
    const struct strategy *strategy = u->options->strategy;
    struct strategy_step landing;
    if (make_landing(&landing, u) < 0 ||
        (j->kind == JOURNAL_UPDATE && !strategy->replay && result_tree(&landing.result, u) < 0))
        return -1;
    landing.message = message;
    if (u->unrolled.stops) { /* what there will be to say once it is over */
        (void)report(u, RESULT_UPDATED, &u->base, &u->plan, NULL, TG_OK);
        landing.document = u->out->document;
    }
    return strategy->land(j, &landing, u->err);
}

static const char *reflog(const struct updating *u)
{
    const char *to = target_words(u);
    if (u->adopts)
        return arena_printf(u->arena, "tmplgen adopt: %s", to);
    return arena_printf(u->arena, "tmplgen update: %s -> %s", made_words(u), to);
}

static void note_identity(struct updating *u)
{
    if (u->who.fallback)
        warn(u, arena_printf(u->arena,
                             "git knows no user here: committed as %s (set user.name and "
                             "user.email)",
                             u->who.name));
    if (repo_flag(&u->child.repo, "commit.gpgsign", false) && !u->options->no_commit)
        warn(u, u->options->strategy->replay
                    ? "commit.gpgSign is set, but tmplgen signs nothing"
                    : "commit.gpgSign is set, but tmplgen signs nothing: --no-commit leaves the "
                      "commit to you");
}

static int fill_journal(struct updating *u, struct journal *j)
{
    char *sum = arena_alloc(u->arena, 41);
    *j = (struct journal){.kind = journal_kind(u),
                          .strategy = u->options->strategy->name,
                          .index_old = sum,
                          .changes = u->files.changes,
                          .change_count = u->files.count,
                          .reflog_what = reflog(u)};
    if (index_checksum(sum, repo_index_path(&u->child.repo), u->err) < 0 ||
        identity_read(&u->who, u->arena, u->child.repo.git, u->err) < 0 || fill_branch(u, j) < 0 ||
        add_base_ref(u, j) < 0)
        return -1;
    note_identity(u);
    const char *message = message_of(u, j->kind);
    j->reflog_who = u->who.committer;
    j->message = j->kind == JOURNAL_CONFLICT ? conflict_message(u, message) : message;
    return land(u, j, message);
}

/* The report of an update as it ends, or would end. */
static int report_ending(struct updating *u, enum journal_kind kind, const char *commit)
{
    const struct end_state *ending = end_state_of(u->beside_count ? JOURNAL_CONFLICT : kind);
    const struct base *base = u->adopts ? NULL : &u->base;
    const struct plan *plan = u->unrolled.stops ? &u->unrolled.stopped : &u->plan;
    return report(u, ending->result, base, plan, commit, ending->exit);
}

/* Nothing is made, and HEAD stays; told is all that the branch brings. */
static int has_it(struct updating *u)
{
    if (u->beside_count)
        return report_ending(u, JOURNAL_UPDATE, u->refresh.old_tip);
    return report(u, RESULT_UP_TO_DATE, &u->base, &u->plan, u->refresh.old_tip, TG_OK);
}

static int carry_out(struct updating *u)
{
    struct journal j;
    char hex[41];
    if (fill_journal(u, &j) < 0)
        return -1;
    bool commits = end_state_of(j.kind)->commits;
    bool same = false;
    if (commits && u->refresh.tip &&
        branch_refresh_is_same(&same, &u->child.repo, u->refresh.tip, &j.branch_new, u->err) < 0)
        return -1;
    if (same)
        return has_it(u);
    if (commits && branch_refresh_take_copy(&j.branch_new, &u->refresh, &u->child.repo, u->err) < 0)
        return -1;
    oid_hex(hex, &j.branch_new);
    int code = report_ending(u, j.kind, commits ? arena_strdup(u->arena, hex) : NULL);
    if (report_store(&j.report, u->arena, u->out->document, u->err) < 0 ||
        interrupt_check(u->err) < 0 || apply_run(u->apply, &j, u->err) < 0)
        return -1;
    report_kept(u->arena, u->out->document, u->apply);
    interrupt_settle();
    proof_keep(&u->child.repo, &u->target.record, &u->target.render);
    if (commits)
        base_ref_prune(&u->child.repo, u->apply, u->render_tree);
    return code;
}

/* ---------------------------------------------------------------- looking only */

/* They are made anew, later, and so under other ids. */
static void forget_commits(const struct updating *u)
{
    const struct data *commits = u->unrolled.commits;
    for (size_t i = 0; commits && i < commits->list.count; i++)
        data_put_text(u->arena, commits->list.items[i], "to", NULL);
}

static int foresee(struct updating *u)
{
    struct oid tree = u->unrolled.tree;
    struct span diff;
    int code = report_ending(u, journal_kind(u), NULL);
    if ((!u->options->strategy->replay && result_tree(&tree, u) < 0) ||
        patch_trees(&diff, u->arena, &u->child.repo,
                    u->unrolled.stops ? &u->unrolled.from : repo_tree(&u->child.repo), &tree,
                    u->err) < 0)
        return -1;
    forget_commits(u);
    data_put(u->arena, u->out->document, "diff", data_span(u->arena, diff));
    data_put(u->arena, u->out->document, "next", next_foreseen(u->arena));
    return code;
}

/* ---------------------------------------------------------------- the run */

static int up_to_date(struct updating *u)
{
    return report(u, RESULT_UP_TO_DATE, NULL, NULL, NULL, TG_OK);
}

static int plan_update(struct updating *u)
{
    if (interrupt_check(u->err) < 0 || prove_base(u) < 0 || make_plan(u) < 0)
        return -1;
    tell_undone(u);
    settle_conflicts(u);
    if (list_edits(u) < 0 || replay(u) < 0 || check_files(u) < 0 ||
        summary_place_check_edits(u->options->output, &u->child.repo, u->edits, u->edit_count,
                                  u->err) < 0 ||
        interrupt_check(u->err) < 0)
        return -1;
    if (u->edit_count == 0)
        return up_to_date(u);
    return u->options->dry_run ? foresee(u) : carry_out(u);
}

static int check_repository(struct updating *u)
{
    const struct repo *repo = &u->child.repo;
    const struct strategy *strategy = u->options->strategy;
    const char *branch = u->options->branch;
    if (strategy->check && strategy->check(repo, u->err) < 0)
        return -1;
    if (preflight_born(repo, u->err) < 0 ||
        preflight_repository(repo, u->child.index, &u->child.head, branch, u->options->refresh,
                             u->err) < 0)
        return -1;
    if (u->options->refresh && branch_refresh_check(&u->refresh, repo, branch, u->err) < 0)
        return -1;
    return check_upstream(u);
}

static int run_checked(struct updating *u)
{
    if (target_choose(&u->target, u->arena, &u->child.record, &u->options->target, u->err) < 0)
        return -1;
    if (u->target.nothing_new && !u->options->restore_count)
        return !only_looks(u) && preflight_state(&u->child.repo, u->err) < 0 ? -1 : up_to_date(u);
    if (!u->options->check && (child_read(&u->child, u->err) < 0 || check_repository(u) < 0))
        return -1;
    int rc = target_make(&u->target, u->err);
    u->out->refusal = u->target.refusal;
    if (rc < 0 || record_text(&u->record, u->arena, &u->target.record, u->err) < 0)
        return -1;
    if (record_is_same(&u->target.record, &u->child.record.wanted) && !u->options->restore_count)
        return up_to_date(u);
    if (u->options->check)
        return report(u, RESULT_AVAILABLE, NULL, NULL, NULL, TG_DIFFERS);
    return plan_update(u);
}

/* --check goes by what is committed, and says so. */
static int check_disk(struct updating *u)
{
    const char *path;
    if (!u->options->check && preflight_merged(&u->child.repo, &u->child.index, u->err) < 0)
        return -1;
    if (!u->options->check)
        return provenance_check_disk(&u->child.repo, &u->child.record, u->err);
    if (provenance_find_dirty(&path, &u->child.repo, &u->child.record, u->err) < 0)
        return -1;
    if (path)
        warn(u, arena_printf(u->arena, PROVENANCE_DIRTY, path));
    return 0;
}

static int settle_unfinished(struct updating *u, bool *done)
{
    struct recovery recovery = {
        .out = u->out, .child = &u->child, .apply = u->apply, .err = u->err};
    int rc = recover_first(&recovery, only_looks(u), done);
    if (rc >= 0 && *done)
        interrupt_settle();
    if (rc == 0 && recovery.note)
        warn(u, recovery.note);
    return rc;
}

static int run(struct updating *u)
{
    bool done;
    if (u->options->branch && preflight_branch_name(u->options->branch, u->err) < 0)
        return -1;
    if (child_open(&u->child, u->arena, u->options->path, u->err) < 0 ||
        summary_place_check(u->options->output, &u->child.repo, u->err) < 0)
        return -1;
    if (!only_looks(u) && apply_open(&u->apply, u->arena, &u->child.repo, u->err) < 0)
        return -1;
    int rc = settle_unfinished(u, &done);
    /* what has been finished may have brought a file of that name */
    if (rc >= 0 && done && summary_place_check(u->options->output, &u->child.repo, u->err) < 0)
        return -1;
    if (rc < 0 || done)
        return rc;
    if (provenance_read(&u->child.record, &u->child.repo, u->err) < 0 || check_disk(u) < 0)
        return -1;
    return run_checked(u);
}

int update_run(struct update_outcome *out, struct arena *arena,
               const struct update_options *options, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    struct updating u = {.out = out, .options = options, .arena = arena, .err = err};
    *out = (struct update_outcome){NULL, NULL};
    int rc = run(&u);
    if (rc < 0)
        (void)child_explain(&u.child, err);
    apply_close(u.apply);
    target_close(&u.target);
    child_close(&u.child);
    return rc;
}

/* ---------------------------------------------------------------- adopt */

int update_adopt(struct update_outcome *out, const struct adoption *a,
                 const struct update_options *options, struct err *err)
{
    struct updating u = {.out = out,
                         .options = options,
                         .arena = a->child->arena,
                         .child = *a->child,
                         .apply = a->apply,
                         .target = *a->target,
                         .base.files = *a->base,
                         .plan = *a->plan,
                         .adopts = true,
                         .err = err};
    struct plan_list render;
    u.child.record = (struct provenance){.wanted = a->target->record};
    for (size_t i = 0; i < a->warning_count; i++)
        warn(&u, a->warnings[i]);
    base_list_render(&render, u.arena, &u.target.render);
    if (put_render(&u, &render) < 0 || record_text(&u.record, u.arena, &u.target.record, err) < 0 ||
        list_edits(&u) < 0 || check_files(&u) < 0 || interrupt_check(err) < 0)
        return -1;
    return options->dry_run ? foresee(&u) : carry_out(&u);
}

/* The strategy `rebase`: the child's own commits are done again on the new render. */
#include "apply/journal.h"
#include "apply/kept_resolutions.h"
#include "apply/preflight.h"
#include "apply/recheck.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "catalog/render.h"
#include "child/child.h"
#include "data/data.h"
#include "data/json.h"
#include "git/commit.h"
#include "git/git_index.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"
#include "plan/three_way.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/rebase_context.h"
#include "update/rebase/rebase_report.h"
#include "update/rebase/replay.h"
#include "update/rebase/replay_edits.h"
#include "update/strategy.h"
#include "update/strategy/strategy_common.h"
#include "update/target/migrate.h"

#include <string.h>

#define PICK_HEAD "CHERRY_PICK_HEAD"

static int check(const struct repo *repo, struct err *err)
{
    return strategy_check_root(repo, strategy_rebase.name, err);
}

/* ---------------------------------------------------------------- in memory */

static void begin_steps(struct replay *r, const struct commit_range *range)
{
    r->steps = arena_array(r->arena, range->count + 1, sizeof(*r->steps));
    for (size_t i = 0; i < range->count; i++)
        r->steps[i].commit = &range->commits[i];
}

static struct journal_step *list_steps(const struct replay *r)
{
    struct journal_step *steps = arena_array(r->arena, r->range->count + 1, sizeof(*steps));
    for (size_t i = 0; i < r->range->count; i++)
        steps[i] = (struct journal_step){r->steps[i].commit->raw.id, r->steps[i].made,
                                         r->steps[i].by_hand};
    return steps;
}

static void set_apart(struct replay *r, const char *path)
{
    r->apart = arena_grow(r->arena, r->apart, r->apart_count, sizeof(*r->apart));
    r->apart[r->apart_count++] = path;
}

static void set_conflicts_apart(struct replay *r, const struct plan *plan)
{
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].conflict)
            set_apart(r, plan->edits[i].path);
}

/* It is staged, and a person looks at it. */
static void tell_resolved(struct unrolled *out, struct replay *r, struct plan_edit *conflict)
{
    rebase_warn(out, r->arena,
                arena_printf(r->arena, "'%s' is resolved as you did before, and staged: look at it",
                             conflict->path));
    conflict->conflict = false;
    set_apart(r, conflict->path);
    for (size_t i = 0; i < r->stopped.path_count; i++) {
        struct plan_path *path = &r->stopped.paths[i];
        if (strcmp(path->path, conflict->path) == 0)
            path->note =
                arena_printf(r->arena, "%s; resolved as you did before, and staged: look at it",
                             path->note ? path->note : "in conflict");
    }
}

/* Nothing that git lists at a stop says whose it is. */
static void tell_left(struct unrolled *out, struct replay *r)
{
    for (size_t i = 0; i < out->edit_count; i++) {
        const struct plan_edit *edit = &out->edits[i];
        if (edit->index_only && edit->old.mode && !edit->disk.mode)
            rebase_warn(out, r->arena,
                        arena_printf(r->arena,
                                     "'%s' is of a later commit, and stays on disk until then, "
                                     "untracked: leave it as it is",
                                     edit->path));
    }
}

/* What becomes of files and index, from the tree that they are at. */
static int list_edits(struct unrolled *out, struct replay *r, const struct oid *from,
                      struct err *err)
{
    const struct plan *stopped = &r->stopped;
    size_t count = out->stops ? stopped->edit_count : 0;
    bool *resolved = arena_array(r->arena, count + 1, sizeof(*resolved));
    struct replay_edits edits;
    out->tree = out->stops ? r->stopped_tree : r->tree;
    if (replay_edits(&edits, r->repo, from, &out->tree, stopped->edits, count, resolved, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (resolved[i])
            tell_resolved(out, r, &stopped->edits[i]);
    out->edits = edits.edits;
    out->edit_count = edits.count;
    if (out->stops)
        tell_left(out, r);
    return 0;
}

static int unroll(struct unrolled *out, struct replay *r, const struct oid *from, struct err *err)
{
    if (replay_run(r, err) < 0)
        return -1;
    out->stops = r->at < r->range->count;
    out->tip = r->tip;
    if (list_edits(out, r, from, err) < 0)
        return -1;
    out->steps = list_steps(r);
    out->step_count = r->range->count;
    out->commits = rebase_commits(r->arena, r->steps, r->range->count);
    out->from = *from;
    if (!out->stops)
        return 0;
    const struct raw_commit *raw = &r->steps[r->at].commit->raw;
    out->picked = raw->id;
    out->from = raw->tree;
    /* without git's list of conflicts, which `git commit --no-edit` would leave in it */
    out->message = arena_memdup(r->arena, raw->message.ptr, raw->message.len);
    out->stopped = r->stopped;
    return 0;
}

/* ---------------------------------------------------------------- the first run */

static const char *list_paths(struct arena *arena, const struct plan_edit *edits, size_t count,
                              bool conflicts)
{
    enum { SHOWN = 10 };
    const char *list = "";
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        if ((!conflicts || edits[i].conflict) && shown++ < SHOWN)
            list = arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "", edits[i].path);
    return shown > SHOWN ? arena_printf(arena, "%s, ...", list) : list;
}

static int refuse_other(const struct replay *r, const struct strategy_step *l, struct err *err)
{
    struct replay_edits edits;
    if (l->plan->conflict_count)
        (void)err_set(err, TG_REFUSED, "differs-from-pick",
                      "the commits can be replayed, but the strategy 'pick' has conflicts, so that "
                      "one of the two is wrong: %s",
                      list_paths(r->arena, l->plan->edits, l->plan->edit_count, true));
    else if (replay_edits(&edits, r->repo, &l->result, &r->tree, NULL, 0, NULL, err) < 0)
        return -1;
    else
        (void)err_set(err, TG_REFUSED, "differs-from-pick",
                      "the replayed commits end in another tree than the strategy 'pick' does: %s",
                      list_paths(r->arena, edits.edits, edits.count, false));
    return err_hint(err, "nothing was changed; 'tmplgen update' without --strategy rebase takes "
                         "the new version on top");
}

static int refuse_branch(struct err *err)
{
    (void)err_set(err, TG_REFUSED, "conflicts-on-branch",
                  "the rebase stops at a conflict, which it does on the branch that is checked out "
                  "alone");
    return err_hint(err, "'git switch -c NAME' makes a branch of your own; there run it without "
                         "--branch");
}

static int check_ended(const struct unrolled *out, const struct replay *r,
                       const struct strategy_step *l, struct err *err)
{
    if (out->stops)
        return l->branch ? refuse_branch(err) : 0;
    if (l->plan->conflict_count || !oid_equal(&r->tree, &l->result))
        return refuse_other(r, l, err);
    return 0;
}

static int find_some(struct range_renames *out, const struct strategy_step *l,
                     const struct record *from, const struct record *to, struct err *err)
{
    struct migrated moved;
    if (!from)
        return 0;
    if (migrate_renames(&moved, l->arena, l->manifest, &from->catalog, to ? &to->catalog : NULL,
                        err) < 0)
        return -1;
    *out = (struct range_renames){moved.rename_old, moved.rename_new, moved.rename_count};
    return 0;
}

/* What migrations say of files: of updates, and from each version to the new one. */
static int find_renames(struct commit_range *range, const struct strategy_step *l, struct err *err)
{
    for (size_t i = 0; i < range->count; i++) {
        struct range_commit *commit = &range->commits[i];
        if (i && !commit->is_update)
            continue;
        if ((i && find_some(&commit->went, l, commit[-1].made, commit->record, err) < 0) ||
            find_some(&commit->goes, l, i ? commit->record : commit->made, NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* The first commit mostly is of the very record of which the base is proven by now. */
static void take_proven(struct replay *r, const struct strategy_step *l)
{
    const struct record *first = r->range->count ? r->range->commits[0].made : NULL;
    if (first && l->base->proof == PROOF_RENDER && !l->base->drift &&
        strcmp(first->inputs, l->made->inputs) == 0 && strcmp(first->tree, l->made->tree) == 0)
        r->proven[r->proven_next++] = (struct replay_proven){first, *l->base};
}

static int replay(struct unrolled *out, const struct strategy_step *l, struct err *err)
{
    const struct repo *repo = l->repo;
    struct commit_range *range = arena_alloc(l->arena, sizeof(*range));
    struct replay *r = arena_alloc(l->arena, sizeof(*r));
    const char *lands =
        l->branch ? arena_printf(l->arena, "refs/heads/%s", l->branch) : repo->branch;
    *out = (struct unrolled){.stops = false};
    if (range_read(range, l->arena, repo, &repo->head, err) < 0 ||
        range_find_holders(range, l->arena, repo, lands, err) < 0 ||
        (!l->rewrite_published && range_check_published(range, l->arena, err) < 0))
        return -1;
    *r = (struct replay){.arena = l->arena,
                         .repo = repo,
                         .range = range,
                         .committer = l->who->committer,
                         .record = l->record,
                         .input = l->input,
                         .onto = l->base_commit,
                         .pick = l->result,
                         .tip = l->base_commit,
                         .tree = l->base_tree};
    begin_steps(r, range);
    take_proven(r, l);
    set_conflicts_apart(r, l->plan);
    lineage_render(&r->after, l->arena, &l->input->side[RENDER]);
    if (find_renames(range, l, err) < 0 || unroll(out, r, &repo->tree, err) < 0 ||
        (out->stops && replay_check(r, err) < 0) || check_ended(out, r, l, err) < 0)
        return -1;
    set_conflicts_apart(r, &out->stopped);
    rebase_tell_holders(out, repo, range, lands);
    out->context = rebase_context(l->arena, r);
    return 0;
}

/* What it said, for whoever goes back: NULL where that was no commit. */
static const char *read_orig_head(const struct repo *repo, struct arena *arena)
{
    ERR_SCRATCH(ignored);
    struct span text;
    struct oid id;
    bool there;
    if (disk_exists(&there, repo->git_fd, ORIG_HEAD, &ignored) < 0 || !there ||
        io_read_file(&text, arena, repo->git_fd, ORIG_HEAD, LIMIT_DOCUMENT_BYTES, &ignored) < 0)
        return NULL;
    while (text.len && text.ptr[text.len - 1] == '\n')
        text.len--;
    const char *hex = arena_memdup(arena, text.ptr, text.len);
    return oid_parse(&id, hex) == 0 ? hex : NULL;
}

static int land_stop(struct journal *j, const struct unrolled *u, struct arena *arena,
                     struct err *err)
{
    j->pseudoref = PICK_HEAD;
    j->brought = u->picked;
    j->head_new = oid_text(arena, &u->tip);
    j->message = u->message;
    j->steps = u->steps;
    j->step_count = u->step_count;
    return rebase_context_store(&j->context, arena, u->context, err);
}

static int land(struct journal *j, const struct strategy_step *l, struct err *err)
{
    const struct unrolled *u = l->unrolled;
    if (u->stops) {
        rebase_context_put_document(l->arena, u->context, l->document);
        return land_stop(j, u, l->arena, err);
    }
    j->branch_new = u->tip;
    j->before.tree = l->repo->tree; /* the new commit's parent is not what the index was of */
    j->orig_head = oid_text(l->arena, &l->repo->head);
    j->orig_head_old = read_orig_head(l->repo, l->arena);
    return 0;
}

/* ---------------------------------------------------------------- after a stop */

/* The commit's own words, unless its user has changed them; nothing where nothing of it is left. */
static int conclude(struct oid *commit, const struct journal *stopped, const struct repo *repo,
                    const struct oid *tree, const struct identity *who, const char *message,
                    struct err *err)
{
    struct raw_commit raw;
    *commit = repo->head;
    if (oid_equal(tree, &repo->tree))
        return 0;
    if (raw_commit_read(&raw, repo->arena, repo->store, &stopped->brought, err) < 0)
        return -1;
    if (message) {
        raw.message = span_from(message);
        if (utf8_valid(raw.message))
            raw.encoding = NULL;
    }
    return raw_commit_put(commit, repo->store, &raw, tree, &repo->head, who->committer, err);
}

/* A stop that its user has resolved. */
struct resumed {
    struct arena *arena;
    struct child *child;
    const struct journal *stopped;
    struct commit_range range;
    struct replay replay;
    struct plan_input input;
    struct identity who;
    struct unrolled out;
    struct oid from; /* the tree that files and index are at */
    struct err *err;
};

static int refuse_context(const struct resumed *s)
{
    (void)err_set(s->err, TG_REFUSED, "foreign-journal",
                  "the rebase cannot be gone on with: what it kept of the commits is not what '%s' "
                  "has",
                  repo_branch_name(s->stopped->branch));
    return err_hint(s->err, "'tmplgen update --abort' goes back");
}

/* The steps that are done, with what was said of them. */
static int take_steps(struct resumed *s, const struct data *commits)
{
    struct replay *r = &s->replay;
    static const struct oid none;
    const struct journal *j = s->stopped;
    begin_steps(r, &s->range);
    if (j->step_count != s->range.count)
        return refuse_context(s);
    for (size_t i = 0; i < j->step_count; i++) {
        struct replay_step *step = &r->steps[i];
        if (!oid_equal(&j->steps[i].picked, &step->commit->raw.id))
            return refuse_context(s);
        if (i != r->at || oid_equal(&j->steps[i].made, &none))
            continue;
        step->made = j->steps[i].made;
        step->by_hand = j->steps[i].by_hand;
        step->state = oid_equal(&step->made, &r->tip) ? REPLAY_DROPPED : REPLAY_MADE;
        if (commits && commits->kind == DATA_LIST && i < commits->list.count)
            step->note = data_get_text(commits->list.items[i], "note");
        r->tip = step->made;
        r->at = i + 1;
    }
    return 0;
}

static int take_tree(struct resumed *s)
{
    struct commit commit;
    const struct repo *repo = &s->child->repo;
    if (repo_commit(&commit, s->arena, repo->store, &s->replay.tip, s->err) < 0)
        return -1;
    s->replay.tree = commit.tree;
    return 0;
}

static int resume(struct resumed *s)
{
    ERR_SCRATCH(ignored);
    struct replay *r = &s->replay;
    struct data *context, *report;
    const struct repo *repo = &s->child->repo;
    *r = (struct replay){.arena = s->arena, .repo = repo, .range = &s->range, .input = &s->input};
    if (range_read(&s->range, s->arena, repo, &s->stopped->branch_old, s->err) < 0 ||
        identity_read(&s->who, s->arena, repo->git, s->err) < 0)
        return -1;
    r->committer = s->who.committer;
    if (json_parse(&context, s->arena, "the journal", s->stopped->context, &ignored) < 0 ||
        rebase_context_read(r, &s->input, &s->range, context) < 0)
        return refuse_context(s);
    if (json_parse(&report, s->arena, "the journal", s->stopped->report, &ignored) < 0)
        report = NULL;
    s->input.any_case = disk_ignores_case(repo->top_fd);
    return take_steps(s, report ? data_get(report, "commits") : NULL) < 0 ? -1 : take_tree(s);
}

/* Deleted is a way to resolve where one side deleted it; else it may have got another name. */
static bool is_resolution(const struct resumed *s, const struct path_change *change,
                          const struct tree_entry *leaf)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(content);
    if (leaf->mode == LEAF_ABSENT)
        return change->stages[STAGE_OURS].mode == LEAF_ABSENT ||
               change->stages[STAGE_THEIRS].mode == LEAF_ABSENT;
    return tree_entry_is_file(leaf) &&
           store_get(&content, s->child->repo.store, STORE_BLOB, &leaf->id, change->path,
                     &ignored) == 0 &&
           !three_way_is_marked(content.bytes);
}

/* For the next time. */
static void keep_resolutions(const struct resumed *s, const struct oid *tree)
{
    ERR_SCRATCH(ignored);
    const struct repo *repo = &s->child->repo;
    for (size_t i = 0; i < s->stopped->change_count; i++) {
        const struct path_change *change = &s->stopped->changes[i];
        const struct conflict conflict = {change->path, change->stages};
        struct tree_entry leaf;
        if (path_change_conflicts(change) &&
            tree_find(&leaf, repo->store, tree, change->path, &ignored) == 0 &&
            is_resolution(s, change, &leaf))
            kept_resolution_store(repo, &conflict, &leaf);
    }
}

static int read_record(struct record *out, bool *valid, const struct resumed *s,
                       const struct tree_entry *leaf)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    *valid = false;
    if (!tree_entry_is_file(leaf))
        return 0;
    if (store_get(&text, s->child->repo.store, STORE_BLOB, &leaf->id, RECORD_PATH, s->err) < 0)
        return -1;
    *valid = record_parse(out, s->arena, RECORD_PATH, text.bytes, &ignored) == 0;
    return 0;
}

/* Whether it is of the new version: edits by hand of that one are its user's, and stay. */
static int is_of_render(bool *out, const struct resumed *s, const struct tree_entry *leaf)
{
    struct record ours, theirs;
    bool valid;
    *out = tree_entry_equal(leaf, &s->replay.record);
    if (*out)
        return 0;
    if (read_record(&theirs, out, s, leaf) < 0 ||
        read_record(&ours, &valid, s, &s->replay.record) < 0)
        return -1;
    *out = *out && valid && strcmp(ours.tree, theirs.tree) == 0;
    return 0;
}

/*
 * Every commit that is replayed has the new version's record. Where its user took the commit's
 * whole tree at the stop, or deleted the record, the child would say that it is of another version
 * than what it is made of.
 */
static int take_record(struct oid *made, struct oid *tree, struct resumed *s)
{
    struct replay *r = &s->replay;
    struct store *store = s->child->repo.store;
    struct tree_entry record;
    struct raw_commit raw;
    bool same;
    if (tree_find(&record, store, tree, RECORD_PATH, s->err) < 0 ||
        is_of_render(&same, s, &record) < 0)
        return -1;
    if (same) {
        r->record = record;
        return 0;
    }
    const struct tree_edit edit = {RECORD_PATH, r->record};
    if (tree_edit(tree, store, store, tree, &edit, 1, s->err) < 0 ||
        raw_commit_read(&raw, s->arena, store, made, s->err) < 0)
        return -1;
    rebase_warn(&s->out, s->arena,
                arena_printf(s->arena,
                             "'" RECORD_PATH
                             "' is the new version's in commit %s, too: what was made of "
                             "it at the stop is not taken",
                             range_name(s->arena, &r->steps[r->at].commit->raw)));
    *made = r->tip;
    if (oid_equal(tree, &r->tree))
        return 0;
    return raw_commit_put(made, store, &raw, tree, &raw.parent, r->committer, s->err);
}

static int take_resolved(struct resumed *s, const struct oid *resolved)
{
    struct commit commit;
    s->from = s->child->repo.tree;
    if (!resolved)
        return 0;
    struct oid made = *resolved;
    if (repo_commit(&commit, s->arena, s->child->repo.store, &made, s->err) < 0)
        return -1;
    s->from = commit.tree;
    if (take_record(&made, &commit.tree, s) < 0)
        return -1;
    keep_resolutions(s, &commit.tree);
    return replay_take(&s->replay, &made, s->err);
}

static int fill_journal(struct journal *j, struct resumed *s)
{
    const struct repo *repo = &s->child->repo;
    struct preflight files;
    char *sum = arena_alloc(s->arena, 41);
    if ((!s->out.stops && preflight_unused(repo, s->stopped->branch, s->err) < 0) ||
        preflight_files(&files, repo, s->child->index, s->out.edits, s->out.edit_count, s->err) <
            0 ||
        index_checksum(sum, repo_index_path(repo), s->err) < 0)
        return -1;
    *j = (struct journal){.kind = s->out.stops ? JOURNAL_CONFLICT : JOURNAL_UPDATE,
                          .head_old = repo->head_text,
                          .head_new = arena_printf(s->arena, "ref: %s", s->stopped->branch),
                          .branch = s->stopped->branch,
                          .branch_old = s->stopped->branch_old,
                          .branch_new = s->stopped->branch_old,
                          .strategy = strategy_rebase.name,
                          .pseudoref = PICK_HEAD,
                          .reflog_who = s->who.committer,
                          .reflog_what = s->stopped->reflog_what,
                          .index_old = sum,
                          .changes = files.changes,
                          .change_count = files.count,
                          .steps = s->out.steps,
                          .step_count = s->out.step_count};
    if (recheck_before(&j->before, repo, s->stopped, &s->from, s->err) < 0)
        return -1;
    if (s->out.stops)
        return land_stop(j, &s->out, s->arena, s->err);
    j->branch_new = s->out.tip;
    j->orig_head = oid_text(s->arena, &j->branch_old);
    j->orig_head_old = read_orig_head(repo, s->arena);
    return 0;
}

static bool is_apart(const struct replay *r, const char *path)
{
    bool apart = strcmp(path, RECORD_PATH) == 0;
    for (size_t i = 0; !apart && i < r->apart_count; i++)
        apart = strcmp(r->apart[i], path) == 0;
    return apart;
}

/*
 * After a stop nothing says that the end must be pick's; where it is not, and nobody was asked
 * about that path, somebody is to look.
 */
static int tell_others(struct unrolled *out, struct resumed *s)
{
    struct replay *r = &s->replay;
    struct replay_edits edits;
    if (out->stops || !store_has(r->repo->store, &r->pick))
        return 0;
    if (replay_edits(&edits, r->repo, &r->pick, &r->tree, NULL, 0, NULL, s->err) < 0)
        return -1;
    for (size_t i = 0; i < edits.count; i++)
        if (!is_apart(r, edits.edits[i].path))
            rebase_warn(
                out, r->arena,
                arena_printf(r->arena,
                             "'%s' is not what the strategy 'pick' would make of it: look at it",
                             edits.edits[i].path));
    return 0;
}

static int go_on(struct journal *next, struct unrolled *out, const struct journal *stopped,
                 struct child *child, const struct oid *made, struct err *err)
{
    struct resumed *s = arena_alloc(child->arena, sizeof(*s));
    *s = (struct resumed){.arena = child->arena, .child = child, .stopped = stopped, .err = err};
    if (resume(s) < 0 || take_resolved(s, made) < 0 ||
        unroll(&s->out, &s->replay, &s->from, err) < 0 || tell_others(&s->out, s) < 0)
        return -1;
    set_conflicts_apart(&s->replay, &s->out.stopped);
    s->out.context = rebase_context(s->arena, &s->replay);
    rebase_context_keep(s->out.context, s->arena, stopped->context);
    s->out.document = rebase_context_document(s->out.context);
    *out = s->out;
    return fill_journal(next, s);
}

/* Its commits are the child's own, one by one. */
static const char *const refuses[] = {"no-commit", "message", "signoff", "on-conflict",
                                      "refresh",   "restore", NULL};

const struct strategy strategy_rebase = {.name = "rebase",
                                         .refuses = refuses,
                                         .check = check,
                                         .replay = replay,
                                         .land = land,
                                         .conclude = conclude,
                                         .go_on = go_on};

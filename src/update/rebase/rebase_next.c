/* Goes on with a rebase from a stop: from the user's commit to the next stop, or to the end. */

#include "apply/kept_resolutions.h"
#include "apply/preflight.h"
#include "apply/recheck.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "base/limits.h"
#include "catalog/render.h"
#include "child/child.h"
#include "data/data.h"
#include "data/json.h"
#include "git/commit.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"
#include "plan/three_way.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/replay.h"
#include "update/rebase/stopped_rebase.h"
#include "update/strategy.h"

#include <string.h>

#define PICK_HEAD "CHERRY_PICK_HEAD"

void rebase_add_conflicts(struct words *out, struct arena *arena, const struct plan *plan)
{
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].conflict)
            words_add(out, arena, plan->edits[i].path);
}

/* ---------------------------------------------------------------- journals */

/* The text of ORIG_HEAD, for going back; NULL where it names no commit. */
static const char *read_orig_head(const struct repo *repo)
{
    ERR_SCRATCH(ignored);
    struct span text;
    struct oid id;
    bool there;
    if (disk_exists(&there, repo->git_fd, ORIG_HEAD, &ignored) < 0 || !there ||
        io_read_file(&text, repo->arena, repo->git_fd, ORIG_HEAD, LIMIT_DOCUMENT_BYTES, &ignored) <
            0)
        return NULL;
    text = span_trim_end(text, "\n");
    const char *hex = arena_memdup(repo->arena, text.ptr, text.len);
    return oid_parse(&id, hex) == 0 ? hex : NULL;
}

int rebase_journal(struct journal *out, enum journal_kind kind, const struct repo *repo,
                   const struct journal *stopped, const struct oid *from, struct err *err)
{
    const struct journal_tip *tip = &stopped->tip;
    if (journal_begin(out, kind, repo, err) < 0)
        return -1;
    out->strategy = stopped->strategy;
    out->tip.head_new = arena_printf(repo->arena, "ref: %s", tip->branch);
    out->tip.branch = tip->branch;
    out->tip.branch_old = out->tip.branch_new = tip->branch_old;
    out->tip.reflog_what = tip->reflog_what;
    out->stop.pseudoref = stopped->stop.pseudoref;
    return recheck_before(&out->before, repo, &stopped->stop, from, err);
}

void rebase_fill_end(struct journal *j, const struct replay_result *replayed,
                     const struct repo *repo)
{
    j->tip.branch_new = replayed->tip;
    j->tip.orig_head = oid_text(repo->arena, &j->tip.branch_old);
    j->tip.orig_head_old = read_orig_head(repo);
}

int rebase_fill_stop(struct journal *j, const struct replay_result *replayed, struct arena *arena,
                     struct err *err)
{
    j->tip.head_new = oid_text(arena, &replayed->tip);
    j->stop = (struct journal_stop){PICK_HEAD, replayed->picked, replayed->message};
    j->steps = replayed->steps;
    return rebase_context_store(&j->context, arena, replayed->context, err);
}

/* ---------------------------------------------------------------- the state of the stop */

/* The replay as the stop left it. */
struct stopped_rebase {
    const struct child *child;
    const struct journal *stopped;
    struct commit_range range;
    struct plan_input plan;
    struct identity who;
    struct replay_input in;
    struct pick_end pick;
    struct data *document; /* of the whole update, or NULL */
};

static int refuse_context(const struct journal *stopped, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "foreign-journal",
                  "the rebase cannot be gone on with: what it kept of the commits is not what '%s' "
                  "has",
                  repo_branch_name(stopped->tip.branch));
    return err_hint(err, "'tmplgen update --abort' goes back");
}

/* Takes the finished steps, with their notes. */
static int take_steps(struct replay *r, const struct journal *stopped, const struct data *commits,
                      struct err *err)
{
    const struct journal_steps *steps = &stopped->steps;
    if (steps->count != r->in->range->count)
        return refuse_context(stopped, err);
    for (size_t i = 0; i < steps->count; i++) {
        const struct journal_step *done = &steps->items[i];
        struct replay_step *step = &r->steps[i];
        if (!oid_equal(&done->picked, &step->commit->raw.id))
            return refuse_context(stopped, err);
        if (i != r->at || oid_is_zero(&done->made))
            continue;
        step->made = done->made;
        step->by_hand = done->by_hand;
        step->state = oid_equal(&step->made, &r->tip) ? REPLAY_DROPPED : REPLAY_MADE;
        if (commits && commits->kind == DATA_LIST && i < commits->list.count)
            step->note = data_get_text(commits->list.items[i], "note");
        r->tip = step->made;
        r->at = i + 1;
    }
    return 0;
}

static int read_stop(struct stopped_rebase *out, struct replay *r, const struct child *child,
                     const struct journal *stopped, struct err *err)
{
    ERR_SCRATCH(ignored);
    const struct repo *repo = &child->repo;
    struct data *context, *report;
    struct commit tip;
    *out = (struct stopped_rebase){.child = child,
                                   .stopped = stopped,
                                   .in = {.repo = repo, .range = &out->range, .plan = &out->plan}};
    if (range_read(&out->range, repo->arena, repo, &stopped->tip.branch_old, err) < 0 ||
        identity_read(&out->who, repo->arena, repo->git, err) < 0)
        return -1;
    out->in.committer = out->who.committer;
    if (json_parse(&context, repo->arena, "the journal", stopped->context, &ignored) < 0 ||
        rebase_context_read(&out->in, &out->plan, &out->range, &out->pick, context) < 0)
        return refuse_context(stopped, err);
    out->document = rebase_context_document(context);
    out->plan.any_case = disk_ignores_case(repo->top_fd);
    if (json_parse(&report, repo->arena, "the journal", stopped->report, &ignored) < 0)
        report = NULL;
    replay_begin(r, &out->in);
    rebase_context_read_lineages(r, context);
    if (take_steps(r, stopped, report ? data_get(report, "commits") : NULL, err) < 0 ||
        repo_commit(&tip, repo->arena, repo->store, &r->tip, err) < 0)
        return -1;
    r->tree = tip.tree;
    return 0;
}

/* ---------------------------------------------------------------- the user's commit */

/* Deleting the file is a resolution where one side deleted it; else the file may have moved. */
static bool is_resolution(const struct repo *repo, const struct path_change *change,
                          const struct tree_entry *entry)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(content);
    if (entry->mode == LEAF_ABSENT)
        return change->stages[STAGE_OURS].mode == LEAF_ABSENT ||
               change->stages[STAGE_THEIRS].mode == LEAF_ABSENT;
    return tree_entry_is_file(entry) &&
           store_get(&content, repo->store, STORE_BLOB, &entry->id, change->path, &ignored) == 0 &&
           !three_way_is_marked(content.bytes);
}

/* Keeps the resolutions for equal conflicts to come. */
static void keep_resolutions(const struct repo *repo, const struct journal_files *files,
                             const struct oid *tree)
{
    ERR_SCRATCH(ignored);
    for (size_t i = 0; i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        const struct conflict conflict = {change->path, change->stages};
        struct tree_entry entry;
        if (path_change_conflicts(change) &&
            tree_find(&entry, repo->store, tree, change->path, &ignored) == 0 &&
            is_resolution(repo, change, &entry))
            kept_resolution_store(repo, &conflict, &entry);
    }
}

static int read_record(struct record *out, bool *valid, const struct repo *repo,
                       const struct tree_entry *entry, struct err *err)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    *valid = false;
    if (!tree_entry_is_file(entry))
        return 0;
    if (store_get(&text, repo->store, STORE_BLOB, &entry->id, RECORD_PATH, err) < 0)
        return -1;
    *valid = record_parse(out, repo->arena, RECORD_PATH, text.bytes, &ignored) == 0;
    return 0;
}

/* True where both are records of one version: the user may have edited it by hand. */
static int is_same_version(bool *out, const struct repo *repo, const struct tree_entry *a,
                           const struct tree_entry *b, struct err *err)
{
    struct record left, right;
    bool valid;
    *out = tree_entry_equal(a, b);
    if (*out)
        return 0;
    if (read_record(&left, out, repo, a, err) < 0 || read_record(&right, &valid, repo, b, err) < 0)
        return -1;
    *out = *out && valid && strcmp(left.tree, right.tree) == 0;
    return 0;
}

/*
 * Every replayed commit has the new version's record. At the stop the user may have taken the
 * commit's whole tree, or deleted the record. Then the record is put back: else the child would
 * claim another version than that of its files.
 */
static int take_record(struct oid *made, struct oid *tree, struct replay_input *in,
                       struct words *warnings, const struct replay *r, struct err *err)
{
    const struct repo *repo = in->repo;
    struct store *store = repo->store;
    struct tree_entry record;
    struct raw_commit raw;
    bool same;
    if (tree_find(&record, store, tree, RECORD_PATH, err) < 0 ||
        is_same_version(&same, repo, &record, &in->record, err) < 0)
        return -1;
    if (same) {
        in->record = record;
        return 0;
    }
    const struct tree_edit edit = {RECORD_PATH, in->record};
    if (tree_edit(tree, store, store, tree, &edit, 1, err) < 0 ||
        raw_commit_read(&raw, repo->arena, store, made, err) < 0)
        return -1;
    words_printf(warnings, repo->arena,
                 "'" RECORD_PATH "' is the new version's in commit %s, too: what was "
                 "made of it at the stop is not taken",
                 range_name(repo->arena, &r->steps[r->at].commit->raw));
    *made = r->tip;
    if (oid_equal(tree, &r->tree))
        return 0;
    return raw_commit_put(made, store, &raw, tree, &raw.parent, in->committer, err);
}

/* `from` is the tree of files and index. */
static int take_commit(struct oid *from, struct stopped_rebase *s, struct replay *r,
                       struct words *warnings, const struct oid *resolved, struct err *err)
{
    const struct repo *repo = s->in.repo;
    struct commit commit;
    *from = repo->tree;
    if (!resolved)
        return 0;
    struct oid made = *resolved;
    if (repo_commit(&commit, repo->arena, repo->store, &made, err) < 0)
        return -1;
    *from = commit.tree;
    if (take_record(&made, &commit.tree, &s->in, warnings, r, err) < 0)
        return -1;
    keep_resolutions(repo, &s->stopped->files, &commit.tree);
    return replay_take(r, &made, err);
}

/* ---------------------------------------------------------------- the next run */

/*
 * After a stop the result may differ from pick's. Warns of paths where it does, and which the user
 * has not looked at.
 */
static int warn_of_others(struct replay_result *out, const struct replay *r,
                          const struct pick_end *pick, struct err *err)
{
    const struct repo *repo = r->in->repo;
    struct replay_edits edits;
    if (out->stops || !store_has(repo->store, &pick->tree))
        return 0;
    if (replay_edits(&edits, repo, &pick->tree, &r->tree, NULL, 0, NULL, err) < 0)
        return -1;
    for (size_t i = 0; i < edits.count; i++) {
        const char *path = edits.edits[i].path;
        if (strcmp(path, RECORD_PATH) != 0 && !words_have(&pick->conflicts, path))
            words_printf(&out->warnings, repo->arena,
                         "'%s' is not what the strategy 'pick' would make of it: look at it", path);
    }
    return 0;
}

static int fill_journal(struct journal *j, const struct replay_result *out,
                        const struct stopped_rebase *s, const struct oid *from, struct err *err)
{
    const struct repo *repo = s->in.repo;
    enum journal_kind kind = out->stops ? JOURNAL_CONFLICT : JOURNAL_UPDATE;
    struct preflight files;
    if ((!out->stops && preflight_unused(repo, s->stopped->tip.branch, err) < 0) ||
        preflight_files(&files, repo, s->child->index, out->edits, out->edit_count, err) < 0 ||
        rebase_journal(j, kind, repo, s->stopped, from, err) < 0)
        return -1;
    j->tip.reflog_who = s->who.committer;
    j->files = files.files;
    j->steps = out->steps;
    if (out->stops)
        return rebase_fill_stop(j, out, repo->arena, err);
    rebase_fill_end(j, out, repo);
    return 0;
}

int rebase_next(struct journal *next, struct replay_result *out, const struct journal *stopped,
                struct child *child, const struct oid *made, struct err *err)
{
    struct arena *arena = child->arena;
    struct stopped_rebase s;
    struct replay r;
    struct oid from;
    *out = (struct replay_result){.stops = false};
    if (read_stop(&s, &r, child, stopped, err) < 0 ||
        take_commit(&from, &s, &r, &out->warnings, made, err) < 0 ||
        replay_to_edits(out, &s.pick.conflicts, &r, &from, err) < 0 ||
        warn_of_others(out, &r, &s.pick, err) < 0)
        return -1;
    rebase_add_conflicts(&s.pick.conflicts, arena, &out->stopped);
    out->context = rebase_context(&r, &s.pick);
    out->document = s.document;
    if (s.document)
        rebase_context_put_document(arena, out->context, s.document);
    return fill_journal(next, out, &s, &from, err);
}

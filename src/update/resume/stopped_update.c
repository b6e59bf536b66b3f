/* An update that stopped for the user: in conflict, or staged. */
#include "update/resume/stopped_update.h"

#include "apply/apply.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/render.h"
#include "child/child.h"
#include "data/data.h"
#include "git/commit.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/ref.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"
#include "plan/three_way.h"
#include "update/rebase/stopped_rebase.h"
#include "update/report/update_report.h"
#include "update/resume/end_state.h"
#include "update/strategy.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10 };

/* ---------------------------------------------------------------- unresolved paths */

/* True where the path's staged content still has the markers of the conflict. */
static int still_marked(bool *out, const struct child *child, const char *path, struct err *err)
{
    STORE_BYTES_SCRATCH(staged);
    struct index_item item;
    *out = false;
    if (!index_find(&item, child->index, path) || !tree_entry_is_file(&item.leaf))
        return 0;
    if (store_get(&staged, child->repo.store, STORE_BLOB, &item.leaf.id, path, err) < 0)
        return -1;
    *out = three_way_is_marked(staged.bytes);
    return 0;
}

/* Finds the paths in conflict; where there is none, the resolved paths that are still marked. */
static int find_unresolved(struct words *out, const struct child *child,
                           const struct journal_files *files, struct err *err)
{
    const char *last = "";
    for (size_t i = 0; i < index_count(child->index); i++) {
        struct index_item item;
        index_item(&item, child->index, i);
        if (item.stage && strcmp(item.path, last) != 0)
            words_add(out, child->arena, last = item.path);
    }
    bool conflicts = out->count > 0;
    for (size_t i = 0; !conflicts && i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        bool marked = false;
        if (path_change_conflicts(change) && still_marked(&marked, child, change->path, err) < 0)
            return -1;
        if (marked)
            words_add(out, child->arena, change->path);
    }
    return 0;
}

/* ---------------------------------------------------------------- the commit */

/* Makes the tree of the index: HEAD's tree with the differences. */
static int index_tree(struct oid *out, const struct child *child, struct err *err)
{
    const struct repo *repo = &child->repo;
    struct words paths = index_differences(child->arena, child->index, &child->head);
    struct tree_edit *edits = arena_array(child->arena, paths.count + 1, sizeof(*edits));
    size_t kept = 0;
    for (size_t i = 0; i < paths.count; i++) {
        struct index_item item;
        (void)index_find(&item, child->index, paths.items[i]);
        if (!item.intent_to_add)
            edits[kept++] = (struct tree_edit){paths.items[i], item.leaf};
    }
    return tree_edit(out, repo->store, repo->store, repo_tree(repo), edits, kept, err);
}

/* Reads MERGE_MSG as the user left it, without its comments. */
static int read_message(const char **out, const struct repo *repo, const char *written,
                        struct err *err)
{
    struct span text = span_from(written ? written : "Update\n");
    BUF_SCRATCH(message, LIMIT_MESSAGE_BYTES + 1);
    char mark = repo_comment_char(repo);
    bool there;
    if (disk_exists(&there, repo->git_fd, "MERGE_MSG", err) < 0 ||
        (there &&
         io_read_file(&text, repo->arena, repo->git_fd, "MERGE_MSG", LIMIT_MESSAGE_BYTES, err) < 0))
        return -1;
    while (text.len) {
        struct span line = span_cut_line(&text);
        if (!line.len || *line.ptr != mark)
            (void)(buf_append(&message, line.ptr, line.len) < 0 || buf_putc(&message, '\n') < 0);
    }
    size_t len = message.len;
    while (len > 1 && message.ptr[len - 1] == '\n' && message.ptr[len - 2] == '\n')
        len--;
    *out = arena_memdup(repo->arena, buf_text(&message), len);
    return 0;
}

/* A replayed commit keeps its message to the byte, unless the user edited it. */
static int message_is_untouched(bool *out, const struct repo *repo, const char *written,
                                struct err *err)
{
    bool there;
    *out = false;
    if (!written)
        return 0;
    if (disk_exists(&there, repo->git_fd, "MERGE_MSG", err) < 0)
        return -1;
    *out = !there;
    if (*out)
        return 0;
    size_t len = span_trim_end(span_from(written), "\n").len;
    return ref_says(out, repo->git_fd, "MERGE_MSG", arena_memdup(repo->arena, written, len), err);
}

static int make_commit(struct oid *commit, struct identity *who, const struct child *child,
                       const struct journal *stopped, struct err *err)
{
    const struct repo *repo = &child->repo;
    const char *message;
    struct oid tree;
    bool untouched = false;
    if ((journal_is_sequence(stopped) &&
         message_is_untouched(&untouched, repo, stopped->stop.message, err) < 0) ||
        index_tree(&tree, child, err) < 0 || identity_read(who, repo->arena, repo->git, err) < 0 ||
        read_message(&message, repo, stopped->stop.message, err) < 0)
        return -1;
    return strategy_of(stopped)->commit_stop(commit, stopped, repo, &tree, who,
                                             untouched ? NULL : message, err);
}

static bool differs(const struct words *sorted, const char *path)
{
    return sorted->count &&
           bsearch(&path, sorted->items, sorted->count, sizeof(*sorted->items), str_compare_first);
}

/* Whether the path is there, be it as a folder. */
static bool is_staged(const struct index *index, const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < index_count(index); i++) {
        struct index_item item;
        index_item(&item, index, i);
        if (strncmp(item.path, path, len) == 0 && (!item.path[len] || item.path[len] == '/'))
            return true;
    }
    return false;
}

/* The plan's lines, where the user has taken the path back, or away, before the commit. */
static void tell_taken_back(struct data *document, const struct child *child,
                            const struct journal *stopped)
{
    const struct repo *repo = &child->repo;
    struct data *paths = data_get(document, "paths");
    struct words changed = index_differences(child->arena, child->index, &child->head);
    for (size_t i = 0; i < paths->list.count; i++) {
        struct data *line = paths->list.items[i];
        const char *path = repo_path(repo, data_get_text(line, "path"));
        const struct path_change *planned = journal_change(&stopped->files, path);
        bool merged = str_equal(data_get_text(line, "state"), path_state_names[PATH_MERGED]);
        if (!planned)
            continue;
        if (!differs(&changed, path))
            report_taken_back(child->arena, line, false);
        else if (merged && !is_staged(child->index, path))
            report_taken_back(child->arena, line, true);
    }
    report_count(child->arena, document);
}

/* A commit with the old record is no update: whoever comes after would be offered the same again.
 */
static int refuse_old_record(const struct child *child, const struct journal *stopped,
                             struct err *err)
{
    const char *record = repo_path(&child->repo, RECORD_PATH);
    struct words changed = index_differences(child->arena, child->index, &child->head);
    if (!journal_change(&stopped->files, record) || differs(&changed, record))
        return 0;
    (void)err_set(err, TG_REFUSED, "record-taken-back",
                  "'" RECORD_PATH "' is that of the old version again: this would be no update");
    return err_hint(err, "'tmplgen update --abort' goes back; then 'tmplgen update' makes it anew");
}

static int commit_stop(struct data **document, const struct child *child, struct apply *apply,
                       const struct journal *stopped, const struct oid *commit,
                       const struct identity *who, struct err *err)
{
    const struct repo *repo = &child->repo;
    struct journal j;
    if (journal_begin(&j, JOURNAL_COMMIT, repo, err) < 0)
        return -1;
    j.tip.branch_new = *commit;
    j.tip.reflog_who = who->committer;
    j.tip.reflog_what = stopped->tip.reflog_what;
    j.stop = (struct journal_stop){stopped->stop.pseudoref, stopped->stop.brought, NULL};
    j.report = stopped->report;
    if (apply_run(apply, &j, err) < 0 || apply_forget(apply, stopped, err) < 0)
        return -1;
    *document = report_recall(repo->arena, stopped->report, RESULT_UPDATED, commit);
    tell_taken_back(*document, child, stopped);
    report_kept(repo->arena, *document, &apply->kept);
    return TG_OK;
}

int stopped_update_take(struct data **document, struct child *child, struct apply *apply,
                        const struct journal *stopped, struct err *err)
{
    struct arena *arena = child->arena;
    struct words unresolved = {0};
    struct oid commit;
    struct identity who;
    if (child_read(child, err) < 0 || find_unresolved(&unresolved, child, &stopped->files, err) < 0)
        return -1;
    if (unresolved.count) {
        *document = report_recall(arena, stopped->report, RESULT_CONFLICTS, NULL);
        const char *list = str_quoted(arena, unresolved.items, unresolved.count, SHOWN);
        list = str_and_more(arena, list, unresolved.count, SHOWN);
        report_warn(arena, *document, arena_printf(arena, "still unresolved: %s", list));
        return TG_CONFLICTS;
    }
    if ((!journal_is_sequence(stopped) && refuse_old_record(child, stopped, err) < 0) ||
        make_commit(&commit, &who, child, stopped, err) < 0)
        return -1;
    return journal_is_sequence(stopped)
               ? rebase_resume_go_on(document, child, apply, stopped, &commit, err)
               : commit_stop(document, child, apply, stopped, &commit, &who, err);
}

/* ---------------------------------------------------------------- ended by git's own means */

/* The record's change; where the record stays, the change of a staged file; or NULL. */
static const struct path_change *telling_change(const char *record,
                                                const struct journal_files *files)
{
    const struct path_change *staged = journal_change(files, record);
    for (size_t i = 0; !staged && i < files->count; i++)
        if (files->changes[i].stages[0].mode != LEAF_ABSENT)
            staged = &files->changes[i];
    return staged;
}

/* The user may have edited the record further: its inputs and its tree identify it. */
static int has_record(bool *out, const struct repo *repo, const struct tree_entry *staged,
                      const struct oid *commit, struct err *err)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    struct record ours, theirs;
    *out = false;
    if (!store_has(repo->store, &staged->id))
        return 0; /* the garbage collection deleted it: so no commit has it */
    if (store_get(&text, repo->store, STORE_BLOB, &staged->id, RECORD_PATH, err) < 0 ||
        provenance_at(&theirs, out, repo, commit, err) < 0)
        return -1;
    *out = *out && record_parse(&ours, repo->arena, RECORD_PATH, text.bytes, &ignored) == 0 &&
           strcmp(ours.tree, theirs.tree) == 0 && strcmp(ours.inputs, theirs.inputs) == 0;
    return 0;
}

/* True where `commit` has the run's staged content. */
static int was_committed(bool *out, const struct repo *repo, const struct journal *stopped,
                         const struct oid *commit, struct err *err)
{
    const char *record = repo_path(repo, RECORD_PATH);
    const struct path_change *change = telling_change(record, &stopped->files);
    struct commit read;
    struct tree_entry there;
    *out = false;
    if (!change || oid_equal(commit, &stopped->tip.branch_new))
        return 0;
    if (strcmp(change->path, record) == 0)
        return has_record(out, repo, &change->stages[0], commit, err);
    if (repo_commit(&read, repo->arena, repo->store, commit, err) < 0 ||
        tree_find(&there, repo->store, &read.tree, change->path, err) < 0)
        return -1;
    *out = tree_entry_equal(&there, &change->stages[0]);
    return 0;
}

int stopped_update_find_commit(struct oid *commit, bool *found, const struct child *child,
                               const struct journal *stopped, struct err *err)
{
    const struct repo *repo = &child->repo;
    bool there;
    *commit = repo->head;
    *found = false;
    if (!repo->unborn && was_committed(found, repo, stopped, commit, err) < 0)
        return -1;
    if (*found)
        return 0;
    if (ref_read(commit, &there, repo, stopped->tip.branch, err) < 0)
        return -1;
    return there ? was_committed(found, repo, stopped, commit, err) : 0;
}

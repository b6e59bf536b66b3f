/* Git's side of an update: locks, the index, refs, HEAD, and the state of a conflict. */

#include "apply/journal.h"
#include "apply/recheck.h"
#include "apply/steps/steps.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/git_index.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- locks */

int git_state_lock(const struct apply *a, const struct journal_tip *tip, struct err *err)
{
    const struct repo *repo = a->repo;
    if (ref_lock(repo->git_fd, "index", a->common, TOKEN, "the index", err) < 0 ||
        ref_lock(repo->common_fd, tip->branch, a->common, TOKEN, "the branch", err) < 0)
        return -1;
    return journal_moves_head(tip) ? ref_lock(repo->git_fd, "HEAD", a->common, TOKEN, "HEAD", err)
                                   : 0;
}

int git_state_unlock(const struct apply *a, const struct journal_tip *tip, struct err *err)
{
    const struct repo *repo = a->repo;
    ERR_SCRATCH(second);
    int rc = ref_unlock(repo->common_fd, tip->branch, a->common, TOKEN, err);
    if (journal_moves_head(tip) &&
        ref_unlock(repo->git_fd, "HEAD", a->common, TOKEN, rc < 0 ? &second : err) < 0)
        rc = -1;
    if (ref_unlock(repo->git_fd, "index", a->common, TOKEN, rc < 0 ? &second : err) < 0)
        rc = -1;
    return rc;
}

/* ---------------------------------------------------------------- the index */

static int make_index(const struct repo *repo, const struct work *work,
                      const struct path_change *changes, size_t count, struct err *err)
{
    (void)unlinkat(work->fd, INDEX_NEW ".lock", 0);
    (void)unlinkat(work->fd, INDEX_NEW, 0);
    mode_t mode = repo_shared_mode(repo_text(repo, "core.sharedrepository"), repo->mask);
    return index_write(arena_printf(repo->arena, "%s" INDEX_NEW, work->path), repo_index_path(repo),
                       mode, repo->top_fd, changes, count, err);
}

static int put_index(const struct repo *repo, const struct work *work, const char *name,
                     struct err *err)
{
    if (renameat(work->fd, name, repo->git_fd, "index") < 0)
        return err_errno(err, errno, "io", "cannot write the index");
    return disk_sync_folder(repo->git_fd, "the index", err);
}

/* Prepares the new index; starts from the user's where that has changed since. */
static int renew_index(const struct repo *repo, const struct work *work,
                       const struct journal_files *files, struct err *err)
{
    if (disk_keep(repo->git_fd, "index", work->fd, INDEX_OLD, err) < 0)
        return -1;
    return make_index(repo, work, files->changes, files->count, err);
}

/* Makes the copy of the old index durable first: undoing needs it. */
static int switch_index(const struct repo *repo, const struct work *work, struct err *err)
{
    bool there;
    if (disk_exists(&there, work->fd, INDEX_NEW, err) < 0)
        return -1;
    if (!there)
        return 0;
    if (disk_sync_folder(work->fd, "the old index", err) < 0)
        return -1;
    return put_index(repo, work, INDEX_NEW, err);
}

static struct tree_files as_list(struct arena *arena, const struct index *index)
{
    struct tree_file *files = arena_array(arena, index_count(index) + 1, sizeof(*files));
    struct tree_files list = {files, index_count(index)};
    for (size_t i = 0; i < list.count; i++) {
        struct index_item item;
        index_item(&item, index, i);
        files[i] = (struct tree_file){item.path, item.leaf};
    }
    return list;
}

/* True where the two differ in the run's paths at most: the user has staged nothing since. */
static bool only_our_changes(const struct index *now, const struct index *old,
                             const struct journal_files *files)
{
    ARENA_SCRATCH(scratch);
    struct tree_files list = as_list(&scratch, old);
    struct words paths = index_differences(&scratch, now, &list);
    for (size_t i = 0; i < paths.count; i++)
        if (!journal_change(files, paths.items[i]))
            return false;
    return true;
}

/* Makes an index from the current one, with the run's paths as they were before. */
static int rebuild_index(const struct repo *repo, const struct work *work, const struct index *now,
                         const struct journal *j, struct err *err)
{
    size_t count = 0;
    struct path_change *changes = arena_array(repo->arena, j->files.count + 1, sizeof(*changes));
    struct tree_entry *before;
    if (recheck_old_entries(&before, repo, j, err) < 0)
        return -1;
    for (size_t i = 0; i < j->files.count; i++) {
        const struct path_change *made = &j->files.changes[i];
        if (index_has(now, made)) /* else the user has staged something there since */
            changes[count++] = (struct path_change){.path = made->path,
                                                    .new = made->old,
                                                    .stages[0] = before[i],
                                                    .skipped = made->skipped,
                                                    .assumed = made->assumed};
    }
    if (make_index(repo, work, changes, count, err) < 0)
        return -1;
    return put_index(repo, work, INDEX_NEW, err);
}

/* A repository without a commit had no index. */
static int remove_index(const struct repo *repo, struct err *err)
{
    if (unlinkat(repo->git_fd, "index", 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove the index");
    return disk_sync_folder(repo->git_fd, "the index", err);
}

/*
 * Restores the bytes of the old index, or its absence; neither needs space. Where the user has
 * staged something else since, or the copy is gone, makes the index from the current one.
 */
static int restore_index(const struct repo *repo, const struct work *work, const struct journal *j,
                         struct err *err)
{
    struct index *now = NULL, *old = NULL;
    bool is_old, kept, none = !*j->index_old;
    if (recheck_index_is_old(&is_old, repo, j->index_old, err) < 0 ||
        disk_exists(&kept, work->fd, INDEX_OLD, err) < 0)
        return -1;
    if (is_old)
        return 0;
    int rc = index_open(&now, repo_index_path(repo), err);
    if (rc == 0 && (kept || none)) /* a missing file is read as an empty index */
        rc = index_open(&old, arena_printf(repo->arena, "%s" INDEX_OLD, work->path), err);
    if (rc == 0 && !(old && only_our_changes(now, old, &j->files)))
        rc = rebuild_index(repo, work, now, j, err);
    else if (rc == 0)
        rc = kept ? put_index(repo, work, INDEX_OLD, err) : remove_index(repo, err);
    index_free(now);
    index_free(old);
    return rc;
}

/* ---------------------------------------------------------------- small files */

/*
 * Gives the prepared file its name, unless the text is there already. Where the user has removed
 * the prepared file from git's folder, writes it again: the journal has its text.
 */
static int put_file(const struct work *work, int folder, const char *path, const char *prepared,
                    const char *text, const char *end, struct err *err)
{
    bool says, there;
    if (ref_says(&says, folder, path, text, err) < 0 ||
        disk_exists(&there, work->fd, prepared, err) < 0)
        return -1;
    if (says)
        return 0;
    const char *whole = arena_printf(work->swap.arena, "%s%s", text, end);
    if (!there && (disk_write(work->fd, prepared, span_from(whole), work->mode, err) < 0 ||
                   disk_sync(work->fd, prepared, err) < 0))
        return -1;
    return ref_put(folder, path, work->fd, prepared, err);
}

static int put_text(const struct work *work, int folder, const char *path, const char *prepared,
                    const char *text, struct err *err)
{
    return put_file(work, folder, path, prepared, text, "\n", err);
}

static int put_oid(const struct work *work, int folder, const char *path, const char *prepared,
                   const struct oid *id, struct err *err)
{
    return put_text(work, folder, path, prepared, oid_text(work->swap.arena, id), err);
}

/* ---------------------------------------------------------------- refs */

static int put_refs(const struct repo *repo, const struct work *work,
                    const struct journal_refs *refs, struct err *err)
{
    for (size_t i = 0; i < refs->count; i++)
        if (refs->items[i].is_new &&
            put_oid(work, repo->common_fd, refs->items[i].name, work_ref_name(repo->arena, i),
                    &refs->items[i].target, err) < 0)
            return -1;
    return 0;
}

int git_state_remove_refs(const struct repo *repo, const struct journal_refs *refs, struct err *err)
{
    for (size_t i = 0; i < refs->count; i++)
        if (refs->items[i].is_new &&
            ref_remove(repo->common_fd, refs->items[i].name,
                       oid_text(repo->arena, &refs->items[i].target), err) < 0)
            return -1;
    return 0;
}

/* The commit that HEAD with the text `head` points to; `branch` is the branch's commit. */
static struct oid head_commit(const char *head, struct oid branch)
{
    struct oid id;
    return oid_parse(&id, head) < 0 ? branch : id;
}

/* Logs that HEAD moved to a replayed commit, or from one back to its branch. */
static void log_replayed(const struct repo *repo, const struct journal_tip *tip)
{
    struct oid old = head_commit(tip->head_old, tip->branch_old);
    struct oid new = head_commit(tip->head_new, tip->branch_new);
    ref_log_head(repo, &old, &new, tip->reflog_who, tip->reflog_what);
}

/* Logs as git does: `git switch -` reads this line. Writes it once, before the branch exists. */
static void log_switch(const struct repo *repo, const struct work *work,
                       const struct journal_tip *tip)
{
    ERR_SCRATCH(ignored);
    bool on_branch = str_starts(tip->head_old, "ref: "), there;
    const char *from =
        on_branch ? repo_branch_name(tip->head_old + strlen("ref: ")) : tip->head_old;
    if (!repo->unborn && disk_exists(&there, work->fd, TIP_NEW, &ignored) == 0 && there)
        ref_log_head(repo, &repo->head, &repo->head, tip->reflog_who,
                     arena_printf(repo->arena, "checkout: moving from %s to %s", from,
                                  repo_branch_name(tip->branch)));
}

static int move_branch(const struct repo *repo, const struct work *work,
                       const struct journal_tip *tip, bool sequence, struct err *err)
{
    if (put_oid(work, repo->common_fd, tip->branch, TIP_NEW, &tip->branch_new, err) < 0)
        return -1;
    if (journal_moves_head(tip) && sequence)
        ref_log_branch(repo, tip->branch, &tip->branch_old, &tip->branch_new, tip->reflog_who,
                       tip->reflog_what);
    else
        ref_log(repo, tip->branch, &tip->branch_old, &tip->branch_new, tip->reflog_who,
                tip->reflog_what);
    return 0;
}

/* From this point on the update has happened. */
static int move_tip(const struct repo *repo, const struct work *work, const struct journal_tip *tip,
                    bool sequence, struct err *err)
{
    bool moves_head = journal_moves_head(tip);
    if (moves_head && !sequence)
        log_switch(repo, work, tip);
    if (journal_moves_branch(tip) && move_branch(repo, work, tip, sequence, err) < 0)
        return -1;
    if (tip->orig_head &&
        put_text(work, repo->git_fd, ORIG_HEAD, ORIG_HEAD_NEW, tip->orig_head, err) < 0)
        return -1;
    if (moves_head && sequence)
        log_replayed(repo, tip);
    return moves_head ? put_text(work, repo->git_fd, "HEAD", HEAD_NEW, tip->head_new, err) : 0;
}

static int move_orig_head_back(const struct repo *repo, const struct work *work,
                               const struct journal_tip *tip, struct err *err)
{
    bool on_new = false;
    if (tip->orig_head && ref_says(&on_new, repo->git_fd, ORIG_HEAD, tip->orig_head, err) < 0)
        return -1;
    if (!on_new)
        return 0;
    return tip->orig_head_old
               ? put_text(work, repo->git_fd, ORIG_HEAD, ORIG_HEAD_OLD, tip->orig_head_old, err)
               : ref_remove(repo->git_fd, ORIG_HEAD, tip->orig_head, err);
}

/*
 * Moves a rebase's HEAD back even from the user's commits on top of the replayed ones. Never onto a
 * branch that has moved: files and index are those of the old commit.
 */
static int move_head_back(const struct repo *repo, const struct work *work, const struct journal *j,
                          struct err *err)
{
    const struct journal_tip *tip = &j->tip;
    struct recheck_way_back back;
    bool ours = false;
    if (!journal_moves_head(tip))
        return 0;
    if (ref_says(&ours, repo->git_fd, "HEAD", tip->head_new, err) < 0 ||
        recheck_way_back(&back, repo, j, err) < 0)
        return -1;
    if (journal_is_sequence(j) && !repo->branch)
        ours = true;
    if (!ours)
        return 0;
    return put_text(work, repo->git_fd, "HEAD", back.moved ? HEAD_LEFT : HEAD_OLD, back.head, err);
}

static int move_tip_back(const struct repo *repo, const struct work *work, const struct journal *j,
                         struct err *err)
{
    const struct journal_tip *tip = &j->tip;
    struct oid now;
    bool found;
    if (move_head_back(repo, work, j, err) < 0 || move_orig_head_back(repo, work, tip, err) < 0)
        return -1;
    if (!journal_moves_branch(tip))
        return 0;
    if (ref_read(&now, &found, repo, tip->branch, err) < 0)
        return -1;
    if (!found || !oid_equal(&now, &tip->branch_new))
        return 0;
    if (!oid_is_zero(&tip->branch_old))
        return put_oid(work, repo->common_fd, tip->branch, TIP_OLD, &tip->branch_old, err);
    return ref_remove(repo->common_fd, tip->branch, oid_text(repo->arena, &tip->branch_new), err);
}

/* ---------------------------------------------------------------- git's own state */

static int remove_message(const struct repo *repo, struct err *err)
{
    if (unlinkat(repo->git_fd, MESSAGE_FILE, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove '" MESSAGE_FILE "'");
    return 0;
}

/* Keeps the mode where the user has a pseudoref of their own. */
static int remove_mode(const struct repo *repo, const struct journal_stop *stop, const char *hex,
                       struct err *err)
{
    bool there, ours;
    if (!journal_merges(stop))
        return 0;
    if (disk_exists(&there, repo->git_fd, stop->pseudoref, err) < 0 ||
        ref_says(&ours, repo->git_fd, stop->pseudoref, hex, err) < 0)
        return -1;
    return there && !ours ? 0 : ref_remove(repo->git_fd, MODE_FILE, MODE_TEXT, err);
}

/* Removes the pseudoref where it names the commit `brought`. */
static int remove_pseudoref(const struct repo *repo, const struct journal_stop *stop,
                            const struct oid *brought, struct err *err)
{
    const char *hex = oid_text(repo->arena, brought);
    if (!stop->pseudoref)
        return 0;
    return remove_mode(repo, stop, hex, err) < 0
               ? -1
               : ref_remove(repo->git_fd, stop->pseudoref, hex, err);
}

/* The text without the newlines at its end, as ref_says compares it. */
static const char *trimmed(const struct repo *repo, const char *text)
{
    return arena_memdup(repo->arena, text, span_trim_end(span_from(text), "\n").len);
}

/* Writes the message first: the pseudoref tells git of a conflict. */
static int put_stop(const struct repo *repo, const struct work *work,
                    const struct journal_stop *stop, struct err *err)
{
    bool there, prepared;
    if (disk_exists(&there, repo->git_fd, MESSAGE_FILE, err) < 0 ||
        disk_exists(&prepared, work->fd, MESSAGE, err) < 0)
        return -1;
    if (stop->message && (prepared || !there) &&
        put_text(work, repo->git_fd, MESSAGE_FILE, MESSAGE, trimmed(repo, stop->message), err) < 0)
        return -1;
    if (journal_merges(stop) &&
        put_file(work, repo->git_fd, MODE_FILE, MODE, MODE_TEXT, "", err) < 0)
        return -1;
    return stop->pseudoref
               ? put_oid(work, repo->git_fd, stop->pseudoref, PSEUDOREF, &stop->brought, err)
               : 0;
}

/* Makes git stop waiting for a commit of `brought`. */
static int end_stop(const struct repo *repo, const struct journal_stop *stop,
                    const struct oid *brought, struct err *err)
{
    return remove_message(repo, err) < 0 ? -1 : remove_pseudoref(repo, stop, brought, err);
}

/* Restores the stop that the run went on from. */
static int put_before(const struct repo *repo, const struct work *work, const struct journal *j,
                      struct err *err)
{
    const struct journal_before *before = &j->before;
    int rc = before->message ? put_text(work, repo->git_fd, MESSAGE_FILE, MESSAGE_OLD,
                                        trimmed(repo, before->message), err)
                             : remove_message(repo, err);
    if (rc < 0 || !j->stop.pseudoref)
        return rc;
    if (oid_is_zero(&before->brought))
        return remove_pseudoref(repo, &j->stop, &j->stop.brought, err);
    return put_oid(work, repo->git_fd, j->stop.pseudoref, PSEUDOREF_OLD, &before->brought, err);
}

/* Keeps the message of other work that the user has begun since. */
static int take_stop_back(const struct repo *repo, const struct work *work,
                          const struct journal_stop *stop, bool moved, struct err *err)
{
    bool prepared;
    if (remove_pseudoref(repo, stop, &stop->brought, err) < 0 ||
        disk_exists(&prepared, work->fd, MESSAGE, err) < 0)
        return -1;
    if (!stop->message || prepared)
        return 0;
    return moved ? ref_remove(repo->git_fd, MESSAGE_FILE, trimmed(repo, stop->message), err)
                 : remove_message(repo, err);
}

/* ---------------------------------------------------------------- all of it */

/* Removes the pseudoref last: where this fails on the way, git must still tell of the conflict. */
static int commit_forward(const struct repo *repo, const struct work *work, const struct journal *j,
                          struct err *err)
{
    if (move_tip(repo, work, &j->tip, journal_is_sequence(j), err) < 0)
        return -1;
    return end_stop(repo, &j->stop, &j->stop.brought, err);
}

int git_state_forward(const struct repo *repo, const struct work *work, const struct journal *j,
                      struct err *err)
{
    bool stops = journal_stops(j);
    if (j->kind == JOURNAL_COMMIT)
        return commit_forward(repo, work, j, err);
    if (renew_index(repo, work, &j->files, err) < 0 || put_refs(repo, work, &j->refs, err) < 0 ||
        (stops && put_stop(repo, work, &j->stop, err) < 0) ||
        move_tip(repo, work, &j->tip, journal_is_sequence(j), err) < 0)
        return -1;
    if (j->run.level > 1 && !stops && end_stop(repo, &j->stop, &j->before.brought, err) < 0)
        return -1;
    return switch_index(repo, work, err);
}

int git_state_backward(const struct repo *repo, const struct work *work, const struct journal *j,
                       bool moved, struct err *err)
{
    if (move_tip_back(repo, work, j, err) < 0)
        return -1;
    if (j->kind == JOURNAL_COMMIT)
        return 0;
    if ((!moved && restore_index(repo, work, j, err) < 0) ||
        git_state_remove_refs(repo, &j->refs, err) < 0)
        return -1;
    if (j->run.level > 1 && !moved)
        return put_before(repo, work, j, err);
    return journal_stops(j) ? take_stop_back(repo, work, &j->stop, moved, err) : 0;
}

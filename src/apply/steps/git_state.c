/* Git's side of an update: locks, the index, refs, HEAD, and the state of a conflict. */
#include "apply/steps/git_state.h"

#include "apply/journal.h"
#include "apply/recheck.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/git_index.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/shared_repo.h"
#include "git/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct oid zero;

/* ---------------------------------------------------------------- locks */

int git_state_lock(const struct apply *a, const struct journal *j, struct err *err)
{
    const struct repo *repo = a->repo;
    if (ref_lock(repo->git_fd, "index", a->common, TOKEN, "the index", err) < 0 ||
        ref_lock(repo->common_fd, j->branch, a->common, TOKEN, "the branch", err) < 0)
        return -1;
    return journal_moves_head(j) ? ref_lock(repo->git_fd, "HEAD", a->common, TOKEN, "HEAD", err)
                                 : 0;
}

int git_state_unlock(const struct apply *a, const struct journal *j, struct err *err)
{
    const struct repo *repo = a->repo;
    ERR_SCRATCH(second);
    int rc = ref_unlock(repo->common_fd, j->branch, a->common, TOKEN, err);
    if (journal_moves_head(j) &&
        ref_unlock(repo->git_fd, "HEAD", a->common, TOKEN, rc < 0 ? &second : err) < 0)
        rc = -1;
    if (ref_unlock(repo->git_fd, "index", a->common, TOKEN, rc < 0 ? &second : err) < 0)
        rc = -1;
    return rc;
}

/* ---------------------------------------------------------------- the index */

static int make_index(const struct apply *a, const struct path_change *changes, size_t count,
                      struct err *err)
{
    (void)unlinkat(a->work, INDEX_NEW ".lock", 0);
    (void)unlinkat(a->work, INDEX_NEW, 0);
    mode_t mode = shared_repo_mode(repo_text(a->repo, "core.sharedrepository"), a->repo->mask);
    return index_write(arena_printf(a->arena, "%s" INDEX_NEW, a->work_path),
                       repo_index_path(a->repo), mode, a->repo->top_fd, changes, count, err);
}

static int put_index(const struct apply *a, const char *name, struct err *err)
{
    if (renameat(a->work, name, a->repo->git_fd, "index") < 0)
        return err_errno(err, errno, "io", "cannot write the index");
    return disk_sync_folder(a->repo->git_fd, "the index", err);
}

/* Also where somebody else changed the index since: then from theirs. */
static int renew_index(const struct apply *a, const struct journal *j, struct err *err)
{
    if (disk_keep(a->repo->git_fd, "index", a->work, INDEX_OLD, err) < 0)
        return -1;
    return make_index(a, j->changes, j->change_count, err);
}

/* That the old one is kept must be durable first: going back needs it. */
static int switch_index(const struct apply *a, struct err *err)
{
    bool there;
    if (disk_exists(&there, a->work, INDEX_NEW, err) < 0)
        return -1;
    if (!there)
        return 0;
    if (disk_sync_folder(a->work, "the old index", err) < 0)
        return -1;
    return put_index(a, INDEX_NEW, err);
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

/* True where the two differ in no path but those of the run: nobody staged anything since. */
static bool only_our_changes(const struct index *now, const struct index *old,
                             const struct journal *j)
{
    ARENA_SCRATCH(scratch);
    struct tree_files list = as_list(&scratch, old);
    const char **paths;
    size_t count, next = 0;
    index_differences(&paths, &count, &scratch, now, &list);
    for (size_t i = 0; i < count; i++) {
        while (next < j->change_count && strcmp(j->changes[next].path, paths[i]) < 0)
            next++;
        if (next == j->change_count || strcmp(j->changes[next].path, paths[i]) != 0)
            return false;
    }
    return true;
}

/* The current index, with what is the run's as it was before. */
static int rebuild_index(const struct apply *a, const struct index *now, const struct journal *j,
                         struct err *err)
{
    size_t count = 0;
    struct path_change *changes = arena_array(a->arena, j->change_count + 1, sizeof(*changes));
    struct tree_entry *before;
    if (recheck_old_entries(&before, a, j, err) < 0)
        return -1;
    for (size_t i = 0; i < j->change_count; i++) {
        const struct path_change *made = &j->changes[i];
        if (index_has(now, made)) /* what somebody staged since is theirs */
            changes[count++] = (struct path_change){.path = made->path,
                                                    .new = made->old,
                                                    .stages[0] = before[i],
                                                    .skipped = made->skipped,
                                                    .assumed = made->assumed};
    }
    if (make_index(a, changes, count, err) < 0)
        return -1;
    return put_index(a, INDEX_NEW, err);
}

/* There was none: a repository without a commit. */
static int remove_index(const struct apply *a, struct err *err)
{
    if (unlinkat(a->repo->git_fd, "index", 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove the index");
    return disk_sync_folder(a->repo->git_fd, "the index", err);
}

/*
 * Its bytes, where it was kept and nobody staged anything else since, or that it was not there;
 * that takes no space.
 */
static int restore_index(const struct apply *a, const struct journal *j, struct err *err)
{
    struct index *now = NULL, *old = NULL;
    bool is_old, kept, none = !*j->index_old;
    if (recheck_index_is_old(&is_old, a, j, err) < 0 ||
        disk_exists(&kept, a->work, INDEX_OLD, err) < 0)
        return -1;
    if (is_old)
        return 0;
    int rc = index_open(&now, repo_index_path(a->repo), err);
    if (rc == 0 && (kept || none)) /* which is read as an empty one */
        rc = index_open(&old, arena_printf(a->arena, "%s" INDEX_OLD, a->work_path), err);
    if (rc == 0 && !(old && only_our_changes(now, old, j)))
        rc = rebuild_index(a, now, j, err);
    else if (rc == 0)
        rc = kept ? put_index(a, INDEX_OLD, err) : remove_index(a, err);
    index_free(now);
    index_free(old);
    return rc;
}

/* ---------------------------------------------------------------- refs */

/*
 * A prepared text gets its name, if that does not say it already. Where it is not there any more
 * (somebody tidied up in git's folder) it is written again: the journal has it.
 */
static int put_file(const struct apply *a, int folder, const char *path, const char *prepared,
                    const char *text, const char *end, struct err *err)
{
    bool says, there;
    if (ref_says(&says, folder, path, text, err) < 0 ||
        disk_exists(&there, a->work, prepared, err) < 0)
        return -1;
    if (says)
        return 0;
    const char *whole = arena_printf(a->arena, "%s%s", text, end);
    if (!there && (disk_write(a->work, prepared, span_from(whole), 0666 & ~a->mask, err) < 0 ||
                   disk_sync(a->work, prepared, err) < 0))
        return -1;
    return ref_put(folder, path, a->work, prepared, err);
}

static int put_text(const struct apply *a, int folder, const char *path, const char *prepared,
                    const char *text, struct err *err)
{
    return put_file(a, folder, path, prepared, text, "\n", err);
}

static int put_oid(const struct apply *a, int folder, const char *path, const char *prepared,
                   const struct oid *id, struct err *err)
{
    char hex[41];
    oid_hex(hex, id);
    return put_text(a, folder, path, prepared, hex, err);
}

static int put_refs(const struct apply *a, const struct journal *j, struct err *err)
{
    for (size_t i = 0; i < j->ref_count; i++)
        if (j->refs[i].is_new && put_oid(a, a->repo->common_fd, j->refs[i].name,
                                         work_ref_name(a->arena, i), &j->refs[i].target, err) < 0)
            return -1;
    return 0;
}

int git_state_remove_refs(const struct apply *a, const struct journal *j, struct err *err)
{
    char hex[41];
    for (size_t i = 0; i < j->ref_count; i++) {
        oid_hex(hex, &j->refs[i].target);
        if (j->refs[i].is_new && ref_remove(a->repo->common_fd, j->refs[i].name, hex, err) < 0)
            return -1;
    }
    return 0;
}

/* What HEAD was at before: a commit, or the branch. */
static struct oid head_before(const struct journal *j)
{
    struct oid id = j->branch_old;
    if (!str_starts(j->head_old, "ref: ") && oid_parse(&id, j->head_old) < 0)
        id = j->branch_old;
    return id;
}

/* HEAD goes to a commit that was replayed, or from one back to its branch. */
static void log_replayed(const struct apply *a, const struct journal *j)
{
    struct oid old = head_before(j), new = j->branch_new;
    if (!str_starts(j->head_new, "ref: ") && oid_parse(&new, j->head_new) < 0)
        return;
    ref_log_head(a->repo, &old, &new, j->reflog_who, j->reflog_what);
}

/* As git does it: `git switch -` goes by this line. Once: before the branch is there. */
static void log_switch(const struct apply *a, const struct journal *j)
{
    ERR_SCRATCH(ignored);
    bool on_branch = str_starts(j->head_old, "ref: "), there;
    const char *from = on_branch ? repo_branch_name(j->head_old + strlen("ref: ")) : j->head_old;
    if (!a->repo->unborn && disk_exists(&there, a->work, TIP_NEW, &ignored) == 0 && there)
        ref_log_head(a->repo, &a->repo->head, &a->repo->head, j->reflog_who,
                     arena_printf(a->arena, "checkout: moving from %s to %s", from,
                                  repo_branch_name(j->branch)));
}

static int move_branch(const struct apply *a, const struct journal *j, struct err *err)
{
    if (put_oid(a, a->repo->common_fd, j->branch, TIP_NEW, &j->branch_new, err) < 0)
        return -1;
    if (journal_moves_head(j) && journal_is_sequence(j))
        ref_log_branch(a->repo, j->branch, &j->branch_old, &j->branch_new, j->reflog_who,
                       j->reflog_what);
    else
        ref_log(a->repo, j->branch, &j->branch_old, &j->branch_new, j->reflog_who, j->reflog_what);
    return 0;
}

static int move_head(const struct apply *a, const struct journal *j, struct err *err)
{
    if (journal_is_sequence(j))
        log_replayed(a, j);
    return put_text(a, a->repo->git_fd, "HEAD", HEAD_NEW, j->head_new, err);
}

/* The point from which on the update has happened. */
static int move_tip(const struct apply *a, const struct journal *j, struct err *err)
{
    if (journal_moves_head(j) && !journal_is_sequence(j))
        log_switch(a, j);
    if (journal_moves_branch(j) && move_branch(a, j, err) < 0)
        return -1;
    if (j->orig_head &&
        put_text(a, a->repo->git_fd, ORIG_HEAD, ORIG_HEAD_NEW, j->orig_head, err) < 0)
        return -1;
    return journal_moves_head(j) ? move_head(a, j, err) : 0;
}

static int move_orig_head_back(const struct apply *a, const struct journal *j, struct err *err)
{
    bool on_new = false;
    if (j->orig_head && ref_says(&on_new, a->repo->git_fd, ORIG_HEAD, j->orig_head, err) < 0)
        return -1;
    if (!on_new)
        return 0;
    return j->orig_head_old
               ? put_text(a, a->repo->git_fd, ORIG_HEAD, ORIG_HEAD_OLD, j->orig_head_old, err)
               : ref_remove(a->repo->git_fd, ORIG_HEAD, j->orig_head, err);
}

/* Of a sequence: where its user committed on top of the replayed commits, HEAD comes back, too. */
static int move_head_back(const struct apply *a, const struct journal *j, struct err *err)
{
    bool ours = false;
    if (!journal_moves_head(j))
        return 0;
    if (ref_says(&ours, a->repo->git_fd, "HEAD", j->head_new, err) < 0)
        return -1;
    if (journal_is_sequence(j) && !a->repo->branch)
        ours = true;
    return ours ? put_text(a, a->repo->git_fd, "HEAD", HEAD_OLD, j->head_old, err) : 0;
}

static int move_tip_back(const struct apply *a, const struct journal *j, struct err *err)
{
    struct oid tip;
    bool found;
    char hex[41];
    if (move_head_back(a, j, err) < 0 || move_orig_head_back(a, j, err) < 0)
        return -1;
    if (!journal_moves_branch(j))
        return 0;
    if (ref_read(&tip, &found, a->repo, j->branch, err) < 0)
        return -1;
    if (!found || !oid_equal(&tip, &j->branch_new))
        return 0;
    if (!oid_equal(&j->branch_old, &zero))
        return put_oid(a, a->repo->common_fd, j->branch, TIP_OLD, &j->branch_old, err);
    oid_hex(hex, &j->branch_new);
    return ref_remove(a->repo->common_fd, j->branch, hex, err);
}

/* ---------------------------------------------------------------- git's own state */

static int remove_message(const struct apply *a, struct err *err)
{
    if (unlinkat(a->repo->git_fd, MESSAGE_FILE, 0) < 0 && errno != ENOENT)
        return err_errno(err, errno, "io", "cannot remove '" MESSAGE_FILE "'");
    return 0;
}

/* Beside a pseudoref of somebody else's it is theirs. */
static int remove_mode(const struct apply *a, const struct journal *j, const char *hex,
                       struct err *err)
{
    bool there, ours;
    if (!journal_merges(j))
        return 0;
    if (disk_exists(&there, a->repo->git_fd, j->pseudoref, err) < 0 ||
        ref_says(&ours, a->repo->git_fd, j->pseudoref, hex, err) < 0)
        return -1;
    return there && !ours ? 0 : ref_remove(a->repo->git_fd, MODE_FILE, MODE_TEXT, err);
}

static int remove_pseudoref(const struct apply *a, const struct journal *j,
                            const struct oid *brought, struct err *err)
{
    char hex[41];
    oid_hex(hex, brought);
    if (!j->pseudoref)
        return 0;
    return remove_mode(a, j, hex, err) < 0 ? -1
                                           : ref_remove(a->repo->git_fd, j->pseudoref, hex, err);
}

/* Less the newlines at its end, as files are compared. */
static const char *trimmed(const struct apply *a, const char *text)
{
    size_t len = strlen(text);
    while (len && text[len - 1] == '\n')
        len--;
    return arena_memdup(a->arena, text, len);
}

/* A message first: the pseudoref is what tells git of a conflict. */
static int put_state(const struct apply *a, const struct journal *j, struct err *err)
{
    bool there, prepared;
    if (disk_exists(&there, a->repo->git_fd, MESSAGE_FILE, err) < 0 ||
        disk_exists(&prepared, a->work, MESSAGE, err) < 0)
        return -1;
    if (j->message && (prepared || !there) &&
        put_text(a, a->repo->git_fd, MESSAGE_FILE, MESSAGE, trimmed(a, j->message), err) < 0)
        return -1;
    if (journal_merges(j) && put_file(a, a->repo->git_fd, MODE_FILE, MODE, MODE_TEXT, "", err) < 0)
        return -1;
    return j->pseudoref ? put_oid(a, a->repo->git_fd, j->pseudoref, PSEUDOREF, &j->brought, err)
                        : 0;
}

/* The run went on from a stop, which is over. */
static int end_before(const struct apply *a, const struct journal *j, struct err *err)
{
    return remove_message(a, err) < 0 ? -1 : remove_pseudoref(a, j, &j->before.brought, err);
}

/* It waits again. */
static int put_before(const struct apply *a, const struct journal *j, struct err *err)
{
    int rc = j->before.message ? put_text(a, a->repo->git_fd, MESSAGE_FILE, MESSAGE_OLD,
                                          trimmed(a, j->before.message), err)
                               : remove_message(a, err);
    if (rc < 0 || !j->pseudoref)
        return rc;
    if (oid_equal(&j->before.brought, &zero))
        return remove_pseudoref(a, j, &j->brought, err);
    return put_oid(a, a->repo->git_fd, j->pseudoref, PSEUDOREF_OLD, &j->before.brought, err);
}

/* Where somebody went on to other work, its message is theirs. */
static int take_state_back(const struct apply *a, const struct journal *j, bool moved,
                           struct err *err)
{
    if (j->level > 1 && !moved)
        return put_before(a, j, err);
    if (!journal_stops(j))
        return 0;
    if (remove_pseudoref(a, j, &j->brought, err) < 0)
        return -1;
    bool prepared;
    if (disk_exists(&prepared, a->work, MESSAGE, err) < 0)
        return -1;
    if (!j->message || prepared)
        return 0;
    return moved ? ref_remove(a->repo->git_fd, MESSAGE_FILE, trimmed(a, j->message), err)
                 : remove_message(a, err);
}

/*
 * A conflict or a staged result is committed: the branch first, then git's state ends. What tells
 * of a conflict goes last: where this fails on the way, it must still be told.
 */
static int commit_forward(const struct apply *a, const struct journal *j, struct err *err)
{
    if (move_tip(a, j, err) < 0 || remove_message(a, err) < 0)
        return -1;
    return remove_pseudoref(a, j, &j->brought, err);
}

int git_state_forward(const struct apply *a, const struct journal *j, struct err *err)
{
    if (j->kind == JOURNAL_COMMIT)
        return commit_forward(a, j, err);
    if (renew_index(a, j, err) < 0 || put_refs(a, j, err) < 0)
        return -1;
    if (journal_stops(j) && put_state(a, j, err) < 0)
        return -1;
    if (move_tip(a, j, err) < 0 || (j->level > 1 && !journal_stops(j) && end_before(a, j, err) < 0))
        return -1;
    return switch_index(a, err);
}

int git_state_backward(const struct apply *a, const struct journal *j, bool moved, struct err *err)
{
    if (move_tip_back(a, j, err) < 0)
        return -1;
    if (j->kind == JOURNAL_COMMIT)
        return 0;
    if ((!moved && restore_index(a, j, err) < 0) || git_state_remove_refs(a, j, err) < 0)
        return -1;
    return take_state_back(a, j, moved, err);
}

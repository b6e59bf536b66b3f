/* Compares a repository with a journal: as before the run, as after it, or changed by the user. */
#include "apply/recheck.h"

#include "apply/journal.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "base/limits.h"
#include "git/git_index.h"
#include "git/history.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"

#include <string.h>

/* ---------------------------------------------------------------- HEAD and the branch */

static int read_tip(struct oid *tip, const struct repo *repo, const char *branch, struct err *err)
{
    bool found;
    *tip = (struct oid){{0}};
    return ref_read(tip, &found, repo, branch, err);
}

/* Names git's operation that is under way besides the run; NULL: there is none. */
static int find_other_work(const char **out, const struct repo *repo,
                           const struct journal_stop *stop, const struct journal_before *earlier,
                           struct err *err)
{
    static const char *const states[] = {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
                                         "rebase-merge", "rebase-apply"};
    const char *hex = oid_text(repo->arena, &stop->brought);
    const char *before = oid_text(repo->arena, &earlier->brought);
    *out = NULL;
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        bool there, ours = false;
        if (disk_exists(&there, repo->git_fd, states[i], err) < 0)
            return -1;
        if (str_equal(states[i], stop->pseudoref) &&
            (ref_says(&ours, repo->git_fd, states[i], hex, err) < 0 ||
             (!ours && ref_says(&ours, repo->git_fd, states[i], before, err) < 0)))
            return -1;
        if (there && !ours)
            *out = "a merge, rebase or the like was begun";
    }
    return 0;
}

int recheck_went_on(bool *out, const struct repo *repo, const struct journal *j, struct err *err)
{
    struct oid replayed;
    *out = false;
    if (!journal_is_sequence(j) || repo->branch || oid_parse(&replayed, j->tip.head_new) < 0)
        return 0;
    return history_reaches(out, repo, &repo->head, &replayed, err);
}

/* ---------------------------------------------------------------- the way back */

/* The commit that HEAD had when the run began. Zero: it had none, or nobody knows any more. */
static int find_old_commit(struct oid *out, const struct repo *repo, const struct journal *j,
                           bool left_own, struct err *err)
{
    struct commit made;
    *out = left_own ? j->tip.branch_old : j->tip.branch_new;
    if (left_own || j->kind != JOURNAL_UPDATE)
        return 0;
    const struct oid tip = *out; /* the run's commit, on top of it */
    *out = (struct oid){{0}};
    if (!store_has(repo->store, &tip))
        return 0;
    if (repo_commit(&made, repo->arena, repo->store, &tip, err) < 0)
        return -1;
    if (made.parent_count)
        *out = made.parents[0];
    return 0;
}

int recheck_way_back(struct recheck_way_back *out, const struct repo *repo, const struct journal *j,
                     struct err *err)
{
    static const char prefix[] = "ref: ";
    struct oid old, now;
    bool found;
    *out = (struct recheck_way_back){.head = j->tip.head_old};
    if (!journal_moves_head(&j->tip) || !str_starts(j->tip.head_old, prefix))
        return 0;
    out->left = j->tip.head_old + strlen(prefix);
    if (find_old_commit(&old, repo, j, str_equal(out->left, j->tip.branch), err) < 0 ||
        ref_read(&now, &found, repo, out->left, err) < 0)
        return -1;
    if (oid_is_zero(&old) || (found && oid_equal(&now, &old)))
        return 0;
    out->moved = found ? "has moved" : "is gone";
    out->head = oid_text(repo->arena, &old);
    return 0;
}

/* ---------------------------------------------------------------- what moved */

static int find_moved(struct recheck *now, const struct repo *repo, const struct journal *j,
                      const struct oid *tip, struct err *err)
{
    const char **out = &now->moved;
    bool old, new;
    struct oid replayed;
    struct recheck_way_back back; /* which an abort that was cut off has gone */
    if (recheck_way_back(&back, repo, j, err) < 0 ||
        ref_says(&old, repo->git_fd, "HEAD", j->tip.head_old, err) < 0 ||
        (!old && ref_says(&old, repo->git_fd, "HEAD", back.head, err) < 0) ||
        ref_says(&new, repo->git_fd, "HEAD", j->tip.head_new, err) < 0 ||
        (!old && !new &&recheck_went_on(&new, repo, j, err) < 0) ||
        find_other_work(out, repo, &j->stop, &j->before, err) < 0)
        return -1;
    if (!old && !new)
        *out = "another branch was checked out";
    if (oid_equal(tip, &j->tip.branch_old) || oid_equal(tip, &j->tip.branch_new))
        return 0;
    bool off = oid_parse(&replayed, j->tip.head_new) == 0 && !repo->branch;
    now->left_moved = journal_is_sequence(j) && off && !*out;
    *out = arena_printf(repo->arena, "'%s' has moved", repo_branch_name(j->tip.branch));
    return 0;
}

/* ---------------------------------------------------------------- the index */

int recheck_index_is_old(bool *out, const struct repo *repo, const char *index_old, struct err *err)
{
    char sum[41];
    if (index_checksum(sum, repo_index_path(repo), err) < 0)
        return -1;
    *out = strcmp(sum, index_old) == 0;
    return 0;
}

/* The tree that HEAD and the index had when the run began. Zero: there was no commit. */
static int find_old_tree(struct oid *out, const struct repo *repo, const struct journal *j,
                         struct err *err)
{
    struct commit commit, parent;
    const struct store *store = repo->store;
    *out = j->before.tree;
    if (!oid_is_zero(out))
        return 0;
    *out = repo->tree;
    if (!store_has(store, &j->tip.branch_new))
        return 0; /* the garbage collection deleted it: so no branch has it */
    if (repo_commit(&commit, repo->arena, store, &j->tip.branch_new, err) < 0)
        return -1;
    *out = commit.tree;
    if (j->kind != JOURNAL_UPDATE)
        return 0;
    *out = (struct oid){{0}};
    if (commit.parent_count == 0)
        return 0;
    if (repo_commit(&parent, repo->arena, store, &commit.parents[0], err) < 0)
        return -1;
    *out = parent.tree;
    return 0;
}

int recheck_old_entries(struct tree_entry **out, const struct repo *repo, const struct journal *j,
                        struct err *err)
{
    struct oid tree;
    *out = arena_array(repo->arena, j->files.count + 1, sizeof(**out));
    if (find_old_tree(&tree, repo, j, err) < 0)
        return -1;
    for (size_t i = 0; i < j->files.count; i++) {
        struct tree_entry *entry = &(*out)[i];
        if (!oid_is_zero(&tree) &&
            tree_find(entry, repo->store, &tree, j->files.changes[i].path, err) < 0)
            return -1;
        if (entry->mode == LEAF_TREE) /* a folder is no entry of the index */
            *entry = (struct tree_entry){0};
    }
    return 0;
}

/* The state of the run's paths in the index. */
struct staged {
    size_t old;          /* number of paths that are as before, and not as after */
    const char *foreign; /* one that is neither, in words */
};

static void look_at_path(struct staged *out, const struct repo *repo, const struct index *now,
                         const struct path_change *change, const struct tree_entry *before)
{
    struct index_item item;
    if (index_has(now, change))
        return;
    (void)index_find(&item, now, change->path);
    if (item.stage == 0 && tree_entry_equal(&item.leaf, before))
        out->old++;
    else
        out->foreign = arena_printf(repo->arena, "'%s' was staged", change->path);
}

static int look_at_index(struct staged *out, const struct repo *repo, const struct journal *j,
                         struct err *err)
{
    struct index *now;
    struct tree_entry *before;
    *out = (struct staged){0};
    if (recheck_old_entries(&before, repo, j, err) < 0 ||
        index_open(&now, repo_index_path(repo), err) < 0)
        return -1;
    for (size_t i = 0; i < j->files.count; i++)
        look_at_path(out, repo, now, &j->files.changes[i], &before[i]);
    index_free(now);
    return 0;
}

/* The user may have staged something other than what the run commits. */
static int compare_commit(const char **out, const struct repo *repo, const struct oid *id,
                          struct err *err)
{
    struct commit commit;
    struct tree_files files;
    struct index *now;
    if (repo_commit(&commit, repo->arena, repo->store, id, err) < 0 ||
        tree_list(&files, repo->arena, repo->store, &commit.tree, TREE_ENTRIES, err) < 0 ||
        index_open(&now, repo_index_path(repo), err) < 0)
        return -1;
    if (index_differences(repo->arena, now, &files).count)
        *out = "something else was staged";
    index_free(now);
    return 0;
}

/* ---------------------------------------------------------------- objects */

static int look_at_entry(void *context, const struct tree_visit *visit)
{
    const struct store *store = context;
    return visit->leaf.mode == LEAF_SUBMODULE || store_has(store, &visit->leaf.id) ? 0 : -1;
}

static bool is_whole(const struct repo *repo, const struct oid *id)
{
    ERR_SCRATCH(ignored);
    struct store *store = repo->store;
    struct commit commit;
    return store_has(store, id) && repo_commit(&commit, repo->arena, store, id, &ignored) == 0 &&
           tree_visit_all(store, &commit.tree, look_at_entry, store, &ignored) == 0;
}

/* True where the store has every object that a stop puts into the index: no commit need have it. */
static bool has_stages(const struct repo *repo, const struct journal_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t stage = 0; stage < STAGES; stage++) {
            const struct tree_entry *entry = &files->changes[i].stages[stage];
            if (tree_entry_is_file(entry) && !store_has(repo->store, &entry->id))
                return false;
        }
    return true;
}

/*
 * Until the branch moves, no ref holds the run's objects, and `git gc --prune=now` deletes them. As
 * long as their pack exists, so do they.
 */
static bool objects_are_there(const struct repo *repo, const struct journal *j)
{
    ERR_SCRATCH(ignored); /* on an error, asks the store for each */
    const char *pack = arena_printf(repo->arena, "objects/pack/%s.pack", j->run.pack);
    bool there;
    if (*j->run.pack && disk_exists(&there, repo->common_fd, pack, &ignored) == 0 && there)
        return true;
    bool whole = (!journal_stops(j) || has_stages(repo, &j->files)) &&
                 (!journal_moves_branch(&j->tip) || is_whole(repo, &j->tip.branch_new));
    for (size_t i = 0; whole && i < j->refs.count; i++)
        whole = is_whole(repo, &j->refs.items[i].target);
    struct oid head;
    if (whole && journal_is_sequence(j) && oid_parse(&head, j->tip.head_new) == 0)
        whole = is_whole(repo, &head);
    return whole && (!j->stop.pseudoref || oid_is_zero(&j->stop.brought) ||
                     is_whole(repo, &j->stop.brought));
}

/* ---------------------------------------------------------------- all */

/* True where the branch has the run's commit, also below new commits of the user. */
static int has_commit(bool *out, const struct repo *repo, const struct oid *commit,
                      const struct oid *tip, struct err *err)
{
    *out = oid_equal(tip, commit);
    return *out || oid_is_zero(tip) ? 0 : history_reaches(out, repo, tip, commit, err);
}

static int says_brought(bool *out, const struct repo *repo, const struct journal_stop *stop,
                        struct err *err)
{
    return ref_says(out, repo->git_fd, stop->pseudoref, oid_text(repo->arena, &stop->brought), err);
}

/*
 * Finds out whether only the tidying up is left: the branch has the commit, git's state tells of a
 * conflict, and the index, which comes last, has no path as before the run.
 */
static int find_staged(struct recheck *out, const struct repo *repo, const struct journal *j,
                       const struct oid *tip, struct err *err)
{
    struct staged staged;
    bool old, committed, told = true;
    if (recheck_index_is_old(&old, repo, j->index_old, err) < 0)
        return -1;
    if (old)
        return 0;
    if (j->kind == JOURNAL_COMMIT)
        return out->moved ? 0 : compare_commit(&out->staged, repo, &j->tip.branch_new, err);
    if (look_at_index(&staged, repo, j, err) < 0 ||
        has_commit(&committed, repo, &j->tip.branch_new, tip, err) < 0 ||
        (journal_stops(j) && j->stop.pseudoref && says_brought(&told, repo, &j->stop, err) < 0))
        return -1;
    out->done = committed && staged.old == 0 && told;
    if (!out->done)
        out->staged = staged.foreign;
    return 0;
}

int recheck_find(struct recheck *out, const struct repo *repo, const struct journal *j,
                 struct err *err)
{
    struct oid tip;
    *out = (struct recheck){0};
    if (read_tip(&tip, repo, j->tip.branch, err) < 0 || find_moved(out, repo, j, &tip, err) < 0)
        return -1;
    if (j->kind == JOURNAL_COMMIT && oid_equal(&tip, &j->tip.branch_new))
        return 0;
    if (!objects_are_there(repo, j)) {
        out->staged = "its new objects are gone ('git gc' or 'git prune' took them)";
        return 0;
    }
    return find_staged(out, repo, j, &tip, err);
}

/* A rebase that goes back onto no branch does not. */
static bool uses_branch(const struct journal_tip *tip)
{
    return journal_moves_branch(tip) || str_starts(tip->head_old, "ref: ") ||
           str_starts(tip->head_new, "ref: ");
}

int recheck_check(const struct repo *repo, const struct journal *j, struct err *err)
{
    struct oid tip;
    bool old, on_old;
    if (ref_says(&on_old, repo->git_fd, "HEAD", j->tip.head_old, err) < 0)
        return -1;
    if (!on_old)
        return apply_moved(err, "HEAD");
    if (read_tip(&tip, repo, j->tip.branch, err) < 0)
        return -1;
    if (uses_branch(&j->tip) && !oid_equal(&tip, &j->tip.branch_old))
        return apply_moved(err, "the branch");
    if (recheck_index_is_old(&old, repo, j->index_old, err) < 0)
        return -1;
    return old ? 0 : apply_moved(err, "the index");
}

int recheck_settled(const bool **out, const struct repo *repo, const struct journal_files *files,
                    struct err *err)
{
    bool *settled = arena_array(repo->arena, files->count + 1, sizeof(*settled));
    *out = settled;
    for (size_t i = 0; !repo->unborn && i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        struct tree_entry there;
        if (path_change_conflicts(change))
            continue;
        if (tree_find(&there, repo->store, &repo->tree, change->path, err) < 0)
            return -1;
        settled[i] = tree_entry_equal(&there, &change->stages[0]);
    }
    return 0;
}

int recheck_is_staged(bool *out, const struct repo *repo, const struct journal_files *files,
                      struct err *err)
{
    struct index *index;
    int rc = 0;
    *out = false;
    if (index_open(&index, repo_index_path(repo), err) < 0)
        return -1;
    for (size_t i = 0; rc == 0 && i < files->count && !*out; i++) {
        const struct path_change *change = &files->changes[i];
        const struct tree_entry *entry = &change->stages[0];
        struct tree_entry committed = {0};
        struct index_item item;
        if (!entry->mode || !index_find(&item, index, change->path) || item.stage ||
            !tree_entry_equal(&item.leaf, entry))
            continue;
        if (!repo->unborn)
            rc = tree_find(&committed, repo->store, &repo->tree, change->path, err);
        *out = !tree_entry_equal(&committed, entry);
    }
    index_free(index);
    return rc;
}

int recheck_waits(bool *out, const struct repo *repo, const struct journal *j, struct err *err)
{
    *out = strcmp(repo->head_text, j->tip.head_new) == 0 &&
           (!repo->branch || oid_equal(&repo->head, &j->tip.branch_new));
    if (*out && !j->stop.pseudoref)
        return recheck_is_staged(out, repo, &j->files, err);
    return *out ? says_brought(out, repo, &j->stop, err) : 0;
}

int recheck_before(struct journal_before *out, const struct repo *repo,
                   const struct journal_stop *stop, const struct oid *tree, struct err *err)
{
    struct span text;
    bool says, there;
    *out = (struct journal_before){.tree = *tree};
    if (!stop->pseudoref)
        return 0;
    if (says_brought(&says, repo, stop, err) < 0 ||
        disk_exists(&there, repo->git_fd, MESSAGE_FILE, err) < 0)
        return -1;
    if (says)
        out->brought = stop->brought;
    if (!there)
        return 0;
    if (io_read_file(&text, repo->arena, repo->git_fd, MESSAGE_FILE, LIMIT_MESSAGE_BYTES, err) < 0)
        return -1;
    out->message = arena_memdup(repo->arena, text.ptr, text.len);
    return 0;
}

/* How a repository stands to a journal: as before the run, as after it, or has somebody been at it?
 */
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

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct oid none;

/* ---------------------------------------------------------------- HEAD and the branch */

static int read_tip(struct oid *tip, const struct apply *a, const struct journal *j,
                    struct err *err)
{
    bool found;
    *tip = (struct oid){{0}};
    return ref_read(tip, &found, a->repo, j->branch, err);
}

/* What git has under way that is not the run's own, or NULL. */
static int find_other_work(const char **out, const struct apply *a, const struct journal *j,
                           struct err *err)
{
    static const char *const states[] = {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
                                         "rebase-merge", "rebase-apply"};
    char hex[41], before[41];
    oid_hex(hex, &j->brought);
    oid_hex(before, &j->before.brought);
    *out = NULL;
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        bool there, ours = false;
        if (disk_exists(&there, a->repo->git_fd, states[i], err) < 0)
            return -1;
        if (j->pseudoref && strcmp(states[i], j->pseudoref) == 0 &&
            (ref_says(&ours, a->repo->git_fd, states[i], hex, err) < 0 ||
             (!ours && ref_says(&ours, a->repo->git_fd, states[i], before, err) < 0)))
            return -1;
        if (there && !ours)
            *out = "a merge, rebase or the like was begun";
    }
    return 0;
}

struct descent {
    struct oid wanted;
    bool found;
};

static int look_for(bool *stop, void *context, const struct oid *commit)
{
    struct descent *descent = context;
    *stop = descent->found = oid_equal(commit, &descent->wanted);
    return 0;
}

static int descends(bool *out, const struct repo *repo, const struct oid *from,
                    const struct oid *wanted, struct err *err)
{
    struct descent descent = {.wanted = *wanted};
    if (history_walk(repo, from, look_for, &descent, err) < 0)
        return -1;
    *out = descent.found;
    return 0;
}

int recheck_went_on(bool *out, const struct repo *repo, const struct journal *j, struct err *err)
{
    struct oid replayed;
    *out = false;
    if (!journal_is_sequence(j) || repo->branch || oid_parse(&replayed, j->head_new) < 0)
        return 0;
    return descends(out, repo, &repo->head, &replayed, err);
}

static int find_moved(const char **out, const struct apply *a, const struct journal *j,
                      const struct oid *tip, struct err *err)
{
    bool old, new;
    if (ref_says(&old, a->repo->git_fd, "HEAD", j->head_old, err) < 0 ||
        ref_says(&new, a->repo->git_fd, "HEAD", j->head_new, err) < 0 ||
        (!old && !new &&recheck_went_on(&new, a->repo, j, err) < 0) ||
        find_other_work(out, a, j, err) < 0)
        return -1;
    if (!oid_equal(tip, &j->branch_old) && !oid_equal(tip, &j->branch_new))
        *out = arena_printf(a->arena, "'%s' has moved", repo_branch_name(j->branch));
    else if (!old && !new)
        *out = "another branch was checked out";
    return 0;
}

/* ---------------------------------------------------------------- the index */

int recheck_index_is_old(bool *out, const struct apply *a, const struct journal *j, struct err *err)
{
    char sum[41];
    if (index_checksum(sum, repo_index_path(a->repo), err) < 0)
        return -1;
    *out = strcmp(sum, j->index_old) == 0;
    return 0;
}

/* Of the commit that the run began on: then HEAD and the index were equal. Zero: there was none. */
static int find_old_tree(struct oid *out, const struct apply *a, const struct journal *j,
                         struct err *err)
{
    struct commit commit, parent;
    const struct store *store = a->repo->store;
    *out = j->before.tree;
    if (!oid_equal(out, &none))
        return 0;
    *out = a->repo->tree;
    if (!store_has(store, &j->branch_new))
        return 0; /* the garbage collection took it: so it is on no branch */
    if (repo_commit(&commit, a->arena, store, &j->branch_new, err) < 0)
        return -1;
    *out = commit.tree;
    if (j->kind != JOURNAL_UPDATE)
        return 0;
    *out = (struct oid){{0}};
    if (commit.parent_count == 0)
        return 0;
    if (repo_commit(&parent, a->arena, store, &commit.parents[0], err) < 0)
        return -1;
    *out = parent.tree;
    return 0;
}

int recheck_old_entries(struct tree_entry **out, const struct apply *a, const struct journal *j,
                        struct err *err)
{
    struct oid tree;
    *out = arena_array(a->arena, j->change_count + 1, sizeof(**out));
    if (find_old_tree(&tree, a, j, err) < 0)
        return -1;
    for (size_t i = 0; i < j->change_count; i++) {
        struct tree_entry *leaf = &(*out)[i];
        if (!oid_equal(&tree, &none) &&
            tree_find(leaf, a->repo->store, &tree, j->changes[i].path, err) < 0)
            return -1;
        if (leaf->mode == LEAF_TREE) /* a folder is no entry of the index */
            *leaf = (struct tree_entry){0};
    }
    return 0;
}

/* The index, path by path of the run. */
struct staged {
    size_t old;          /* so many are as before, where that is not as after, too */
    const char *foreign; /* one that is neither */
};

static void look_at_path(struct staged *out, const struct apply *a, const struct index *now,
                         const struct path_change *change, const struct tree_entry *before)
{
    struct index_item item = {.leaf = {0}};
    bool found;
    if (index_has(now, change))
        return;
    index_find(&item, &found, now, change->path);
    if (item.stage == 0 && tree_entry_equal(&item.leaf, before))
        out->old++;
    else
        out->foreign = arena_printf(a->arena, "'%s' was staged", change->path);
}

static int look_at_index(struct staged *out, const struct apply *a, const struct journal *j,
                         struct err *err)
{
    struct index *now;
    struct tree_entry *before;
    *out = (struct staged){0};
    if (recheck_old_entries(&before, a, j, err) < 0 ||
        index_open(&now, repo_index_path(a->repo), err) < 0)
        return -1;
    for (size_t i = 0; i < j->change_count; i++)
        look_at_path(out, a, now, &j->changes[i], &before[i]);
    index_free(now);
    return 0;
}

/* What is committed must still be what is staged. */
static int compare_commit(const char **out, const struct apply *a, const struct journal *j,
                          struct err *err)
{
    struct commit commit;
    struct tree_files files;
    struct index *now;
    const char **paths;
    size_t count;
    if (repo_commit(&commit, a->arena, a->repo->store, &j->branch_new, err) < 0 ||
        tree_list(&files, a->arena, a->repo->store, &commit.tree, TREE_ENTRIES, err) < 0 ||
        index_open(&now, repo_index_path(a->repo), err) < 0)
        return -1;
    index_differences(&paths, &count, a->arena, now, &files);
    index_free(now);
    if (count)
        *out = "something else was staged";
    return 0;
}

/* ---------------------------------------------------------------- objects */

static int look_at_entry(void *context, const struct tree_visit *visit)
{
    const struct store *store = context;
    return visit->leaf.mode == LEAF_SUBMODULE || store_has(store, &visit->leaf.id) ? 0 : -1;
}

static bool is_whole(const struct apply *a, const struct oid *id)
{
    ERR_SCRATCH(ignored);
    struct store *store = a->repo->store;
    struct commit commit;
    return store_has(store, id) && repo_commit(&commit, a->arena, store, id, &ignored) == 0 &&
           tree_visit_all(store, &commit.tree, look_at_entry, store, &ignored) == 0;
}

/* What a run that stops puts into the index: no commit need have it. */
static bool has_stages(const struct apply *a, const struct journal *j)
{
    for (size_t i = 0; journal_stops(j) && i < j->change_count; i++)
        for (size_t stage = 0; stage < STAGES; stage++) {
            const struct tree_entry *leaf = &j->changes[i].stages[stage];
            if (tree_entry_is_file(leaf) && !store_has(a->repo->store, &leaf->id))
                return false;
        }
    return true;
}

/*
 * Until the branch moves no ref holds the run's objects, and `git gc --prune=now` takes them. Where
 * their pack is still there, so are they.
 */
static bool objects_are_there(const struct apply *a, const struct journal *j)
{
    ERR_SCRATCH(ignored); /* then each is looked for */
    const char *pack = arena_printf(a->arena, "objects/pack/%s.pack", j->pack);
    bool there;
    if (*j->pack && disk_exists(&there, a->repo->common_fd, pack, &ignored) == 0 && there)
        return true;
    bool whole = has_stages(a, j) && (!journal_moves_branch(j) || is_whole(a, &j->branch_new));
    for (size_t i = 0; whole && i < j->ref_count; i++)
        whole = is_whole(a, &j->refs[i].target);
    struct oid head;
    if (whole && journal_is_sequence(j) && oid_parse(&head, j->head_new) == 0)
        whole = is_whole(a, &head);
    return whole && (!j->pseudoref || oid_equal(&j->brought, &none) || is_whole(a, &j->brought));
}

/* ---------------------------------------------------------------- all */

/* The branch has the run's commit, whoever went on from it. */
static int has_landed(bool *out, const struct apply *a, const struct journal *j,
                      const struct oid *tip, struct err *err)
{
    *out = true;
    if (oid_equal(tip, &j->branch_new))
        return 0;
    *out = false;
    return oid_equal(tip, &none) ? 0 : descends(out, a->repo, tip, &j->branch_new, err);
}

/* In a conflict it is git's state that comes before the index. */
static int state_is_put(bool *out, const struct apply *a, const struct journal *j, struct err *err)
{
    char hex[41];
    oid_hex(hex, &j->brought);
    *out = true;
    return journal_stops(j) && j->pseudoref ? ref_says(out, a->repo->git_fd, j->pseudoref, hex, err)
                                            : 0;
}

/*
 * Whether all is done but the tidying up, by what lies there: the branch has the commit, and the
 * index, which comes last, nothing from before.
 */
static int find_staged(struct recheck *out, const struct apply *a, const struct journal *j,
                       const struct oid *tip, struct err *err)
{
    struct staged staged;
    bool old, landed, put;
    if (recheck_index_is_old(&old, a, j, err) < 0)
        return -1;
    if (old)
        return 0;
    if (j->kind == JOURNAL_COMMIT)
        return out->moved ? 0 : compare_commit(&out->staged, a, j, err);
    if (look_at_index(&staged, a, j, err) < 0 || has_landed(&landed, a, j, tip, err) < 0 ||
        state_is_put(&put, a, j, err) < 0)
        return -1;
    out->done = landed && staged.old == 0 && put;
    if (!out->done)
        out->staged = staged.foreign;
    return 0;
}

int recheck_find(struct recheck *out, const struct apply *a, const struct journal *j,
                 struct err *err)
{
    struct oid tip;
    *out = (struct recheck){0};
    if (read_tip(&tip, a, j, err) < 0 || find_moved(&out->moved, a, j, &tip, err) < 0)
        return -1;
    if (j->kind == JOURNAL_COMMIT && oid_equal(&tip, &j->branch_new))
        return 0;
    if (!objects_are_there(a, j)) {
        out->staged = "its new objects are gone ('git gc' or 'git prune' took them)";
        return 0;
    }
    return find_staged(out, a, j, &tip, err);
}

int recheck_check(const struct apply *a, const struct journal *j, struct err *err)
{
    struct oid tip;
    bool old, on_old;
    if (ref_says(&on_old, a->repo->git_fd, "HEAD", j->head_old, err) < 0)
        return -1;
    if (!on_old)
        return apply_moved(err, "HEAD");
    if (read_tip(&tip, a, j, err) < 0)
        return -1;
    if (!oid_equal(&tip, &j->branch_old))
        return apply_moved(err, "the branch");
    if (recheck_index_is_old(&old, a, j, err) < 0)
        return -1;
    return old ? 0 : apply_moved(err, "the index");
}

int recheck_settled(const bool **out, const struct apply *a, const struct journal *j,
                    struct err *err)
{
    bool *settled = arena_array(a->arena, j->change_count + 1, sizeof(*settled));
    *out = settled;
    for (size_t i = 0; !a->repo->unborn && i < j->change_count; i++) {
        const struct path_change *change = &j->changes[i];
        struct tree_entry there;
        if (path_change_conflicts(change))
            continue;
        if (tree_find(&there, a->repo->store, &a->repo->tree, change->path, err) < 0)
            return -1;
        settled[i] = tree_entry_equal(&there, &change->stages[0]);
    }
    return 0;
}

int recheck_is_staged(bool *out, const struct repo *repo, const struct journal *j, struct err *err)
{
    struct index *index;
    int rc = 0;
    *out = false;
    if (index_open(&index, repo_index_path(repo), err) < 0)
        return -1;
    for (size_t i = 0; rc == 0 && i < j->change_count && !*out; i++) {
        const struct tree_entry *leaf = &j->changes[i].stages[0];
        struct tree_entry committed = {0};
        struct index_item item;
        bool found;
        index_find(&item, &found, index, j->changes[i].path);
        if (!leaf->mode || !found || item.stage || !tree_entry_equal(&item.leaf, leaf))
            continue;
        if (!repo->unborn)
            rc = tree_find(&committed, repo->store, &repo->tree, j->changes[i].path, err);
        *out = !tree_entry_equal(&committed, leaf);
    }
    index_free(index);
    return rc;
}

int recheck_waits(bool *out, const struct repo *repo, const struct journal *j, struct err *err)
{
    char hex[41];
    oid_hex(hex, &j->brought);
    *out = strcmp(repo->head_text, j->head_new) == 0 &&
           (!repo->branch || oid_equal(&repo->head, &j->branch_new));
    if (*out && !j->pseudoref)
        return recheck_is_staged(out, repo, j, err);
    return *out ? ref_says(out, repo->git_fd, j->pseudoref, hex, err) : 0;
}

int recheck_before(struct journal_before *out, const struct repo *repo,
                   const struct journal *stopped, const struct oid *tree, struct err *err)
{
    struct span text;
    bool says, there;
    *out = (struct journal_before){.tree = *tree};
    const char *brought = oid_text(repo->arena, &stopped->brought);
    if (!stopped->pseudoref)
        return 0;
    if (ref_says(&says, repo->git_fd, stopped->pseudoref, brought, err) < 0 ||
        disk_exists(&there, repo->git_fd, MESSAGE_FILE, err) < 0)
        return -1;
    if (says)
        out->brought = stopped->brought;
    if (!there)
        return 0;
    if (io_read_file(&text, repo->arena, repo->git_fd, MESSAGE_FILE, LIMIT_MESSAGE_BYTES, err) < 0)
        return -1;
    out->message = arena_memdup(repo->arena, text.ptr, text.len);
    return 0;
}

/* Trees of a child's repository as renders, and the proof that its history gives for them. */
#include "update/base/base_history.h"

#include "base/arena.h"
#include "base/limits.h"
#include "catalog/render.h"
#include "child/record.h"
#include "git/history.h"
#include "git/oid_map.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "plan/plan.h"
#include "plan/three_way.h"

#include <string.h>

static int base_tree_bare(struct oid *out, const struct repo *repo, const struct oid *tree,
                          struct err *err)
{
    struct tree_edit edit = {.path = RECORD_PATH};
    return tree_edit(out, repo->store, NULL, tree, &edit, 1, err);
}

/* The child's folder in a tree of the whole repository. */
static int find_folder(struct tree_entry *out, const struct repo *repo, const struct oid *tree,
                       struct err *err)
{
    ARENA_SCRATCH(scratch);
    *out = (struct tree_entry){LEAF_TREE, *tree};
    if (!*repo->prefix)
        return 0;
    const char *path = arena_memdup(&scratch, repo->prefix, strlen(repo->prefix) - 1);
    return tree_find(out, repo->store, tree, path, err);
}

int base_tree_at(struct base_tree *out, bool *found, const struct repo *repo,
                 const struct oid *commit, bool whole, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct commit read;
    struct tree_entry folder;
    *found = false;
    if (!store_has(repo->store, commit))
        return 0;
    if (repo_commit(&read, &scratch, repo->store, commit, err) < 0)
        return -1;
    folder = (struct tree_entry){LEAF_TREE, read.tree};
    if (!store_has(repo->store, &read.tree))
        return 0;
    if (!whole && find_folder(&folder, repo, &read.tree, err) < 0)
        return -1;
    if (folder.mode != LEAF_TREE || !store_has(repo->store, &folder.id))
        return 0;
    *out = (struct base_tree){.held = folder.id};
    *found = true;
    return base_tree_bare(&out->tree, repo, &folder.id, err);
}

int base_tree_files(struct plan_list *out, struct arena *arena, const struct repo *repo,
                    const struct oid *tree, struct err *err)
{
    struct tree_files all;
    if (tree_list(&all, arena, repo->store, tree, TREE_ENTRIES, err) < 0)
        return -1;
    struct plan_file *files = arena_array(arena, all.count + 1, sizeof(*files));
    *out = (struct plan_list){files, 0};
    for (size_t i = 0; i < all.count; i++)
        if (tree_entry_is_file(&all.files[i].leaf) && strcmp(all.files[i].path, RECORD_PATH) != 0)
            files[out->count++] =
                (struct plan_file){.path = all.files[i].path, .entry = all.files[i].leaf};
    return 0;
}

/* ---------------------------------------------------------------- the search */

/* The child's folder in a commit; most commits share it with others. */
struct folder_version {
    struct base_tree shown;
    struct oid recorded; /* the tree that its record names */
    bool has_record;
};

struct visited_commit {
    struct oid id;
    size_t version; /* its version's number + 1; 0: the child is not in it */
};

struct history_search {
    const struct repo *repo;
    struct arena *arena;
    const struct oid *wanted;
    struct folder_version *versions;
    size_t version_count;
    struct visited_commit *commits; /* newest first */
    size_t commit_count;
    struct base_tree *trees; /* the trees found in commits */
    size_t tree_count;
    struct oid_map folders, records, numbers, places; /* of versions, records, commits, trees */
    struct oid *recorded; /* by number of the record's file; zero: it is no record */
    size_t record_count;
    int replays;
    size_t replayed_files;
    bool found;
    struct err *err;
};

/* Enough for a decade of updates; a hostile history has no end. */
enum { REPLAYS_MAX = 1000, REPLAYED_FILES_MAX = 20000000 };

/* ---------------------------------------------------------------- the walk */

static void add_tree(struct history_search *s, const struct base_tree *tree)
{
    if (!oid_map_add(&s->places, &tree->tree, s->tree_count))
        return;
    arena_push(s->arena, s->trees, s->tree_count) = *tree;
    s->found = s->found || oid_equal(&tree->tree, s->wanted);
}

static const struct base_tree *tree_of(const struct history_search *s, const struct oid *id)
{
    size_t at;
    return oid_map_find(&at, &s->places, id) ? &s->trees[at] : NULL;
}

/* Reads the tree that a record names; zero where the blob is no record. */
static int read_recorded(struct oid *out, struct history_search *s, const struct oid *blob)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    struct record record;
    size_t at;
    *out = (struct oid){{0}};
    if (oid_map_find(&at, &s->records, blob)) {
        *out = s->recorded[at];
        return 0;
    }
    if (store_get(&text, s->repo->store, STORE_BLOB, blob, RECORD_PATH, s->err) < 0)
        return -1;
    if (text.bytes.len > LIMIT_DOCUMENT_BYTES ||
        record_parse(&record, &scratch, RECORD_PATH, text.bytes, &ignored) < 0 ||
        oid_parse(out, record.tree) < 0)
        *out = (struct oid){{0}};
    (void)oid_map_add(&s->records, blob, s->record_count);
    arena_push(s->arena, s->recorded, s->record_count) = *out;
    return 0;
}

static int add_version(size_t *number, struct history_search *s, const struct base_tree *shown)
{
    struct tree_entry record;
    struct folder_version version = {.shown = *shown};
    if (oid_map_find(number, &s->folders, &shown->held))
        return 0;
    if (tree_find(&record, s->repo->store, &shown->held, RECORD_PATH, s->err) < 0 ||
        (tree_entry_is_file(&record) && read_recorded(&version.recorded, s, &record.id) < 0))
        return -1;
    version.has_record = !oid_is_zero(&version.recorded);
    *number = s->version_count;
    (void)oid_map_add(&s->folders, &shown->held, *number);
    arena_push(s->arena, s->versions, s->version_count) = version;
    add_tree(s, shown);
    return 0;
}

/* A child lies in a folder, but a commit may hold its render alone, without the folder. */
static int look_at_whole(struct history_search *s, const struct oid *commit)
{
    struct base_tree whole;
    bool found;
    if (!*s->repo->prefix)
        return 0;
    if (base_tree_at(&whole, &found, s->repo, commit, true, s->err) < 0)
        return -1;
    if (found && oid_equal(&whole.tree, s->wanted))
        add_tree(s, &whole);
    return 0;
}

static int visit(bool *stop, void *context, const struct oid *commit)
{
    struct history_search *s = context;
    struct base_tree shown;
    struct visited_commit visited = {.id = *commit};
    bool found;
    if (base_tree_at(&shown, &found, s->repo, commit, false, s->err) < 0 ||
        (found && add_version(&visited.version, s, &shown) < 0) || look_at_whole(s, commit) < 0)
        return -1;
    visited.version = found ? visited.version + 1 : 0;
    (void)oid_map_add(&s->numbers, commit, s->commit_count);
    arena_push(s->arena, s->commits, s->commit_count) = visited;
    *stop = s->found;
    return 0;
}

/* ---------------------------------------------------------------- one update, done again */

/* Its own arena has everything that it looks at. */
struct update_replay {
    struct arena arena;
    const struct repo *repo;
    struct plan_list base, before, after;
    struct tree_edit *edits;
    size_t edit_count;
    bool clean; /* no line changed in the update was changed by the child, too */
    struct err *err;
};

/* The only file of the base with that content whose path the child lacks: the child moved it. */
static const struct plan_file *find_moved(const struct update_replay *r,
                                          const struct plan_file *file)
{
    const struct plan_file *found = NULL;
    for (size_t i = 0; i < r->base.count; i++) {
        const struct plan_file *other = &r->base.files[i];
        if (!oid_equal(&other->entry.id, &file->entry.id) ||
            plan_list_find(&r->before, other->path))
            continue;
        if (found)
            return NULL;
        found = other;
    }
    return found;
}

/* Child and update both changed the file: merges it as text, else as lines of pins. */
static int merge_file(struct update_replay *r, const struct plan_file *base,
                      const struct plan_file *before, const struct plan_file *after)
{
    struct three_way_input input = {
        .file = {before, base, after}, .base_label = "before", .render_label = "after"};
    struct three_way merged;
    for (int lines = 0; lines < 2; lines++) {
        input.lines = lines;
        if (three_way_merge(&merged, r->repo->store, &input, r->err) < 0)
            return -1;
        if (merged.kind == THREE_WAY_CLEAN) {
            arena_push(&r->arena, r->edits, r->edit_count) =
                (struct tree_edit){base->path, merged.result};
            return 0;
        }
    }
    r->clean = false;
    return 0;
}

/* Replays one path that the update changed. The child's own changes stay out. */
static int replay_file(struct update_replay *r, const struct plan_file *before,
                       const struct plan_file *after)
{
    const char *path = before ? before->path : after ? after->path : "";
    const struct plan_file *base = plan_list_find(&r->base, path);
    const struct tree_entry new = after ? after->entry : (struct tree_entry){0};
    if (before && after && base && !tree_entry_equal(&base->entry, &before->entry))
        return merge_file(r, base, before, after);
    if (before && !base)
        base = find_moved(r, before);
    if (base || !before)
        arena_push(&r->arena, r->edits, r->edit_count) =
            (struct tree_edit){base ? base->path : path, new};
    return 0;
}

static int replay_files(struct update_replay *r)
{
    size_t i = 0, j = 0;
    while (r->clean && (i < r->before.count || j < r->after.count)) {
        const struct plan_file *before = i < r->before.count ? &r->before.files[i] : NULL;
        const struct plan_file *after = j < r->after.count ? &r->after.files[j] : NULL;
        int order = before && after ? strcmp(before->path, after->path) : before ? -1 : 1;
        before = order <= 0 ? before : NULL;
        after = order >= 0 ? after : NULL;
        i += before != NULL;
        j += after != NULL;
        if (before && after && tree_entry_equal(&before->entry, &after->entry))
            continue;
        if (replay_file(r, before, after) < 0)
            return -1;
    }
    return 0;
}

/*
 * Applies the update's changes, from the child's tree `before` to `after`, to `base`, which is the
 * render of `before`. `*tree` is in the store where the replay is clean. Only the id of the result
 * tells whether it is the update's render.
 */
static int replay_update(struct oid *tree, bool *clean, struct history_search *s,
                         const struct oid *base, const struct oid *before, const struct oid *after)
{
    struct store *store = s->repo->store;
    struct update_replay r = {.arena = ARENA_INIT, .repo = s->repo, .clean = true, .err = s->err};
    bool failed =
        base_tree_files(&r.base, &r.arena, s->repo, base, s->err) < 0 ||
        base_tree_files(&r.before, &r.arena, s->repo, before, s->err) < 0 ||
        base_tree_files(&r.after, &r.arena, s->repo, after, s->err) < 0 || replay_files(&r) < 0 ||
        (r.clean && tree_edit(tree, store, store, base, r.edits, r.edit_count, s->err) < 0);
    *clean = r.clean;
    s->replayed_files += r.base.count + r.before.count + r.after.count;
    arena_release(&r.arena);
    return failed ? -1 : 0;
}

/* ---------------------------------------------------------------- updates */

static const struct folder_version *version_at(const struct history_search *s,
                                               const struct oid *commit)
{
    size_t at;
    if (!oid_map_find(&at, &s->numbers, commit) || !s->commits[at].version)
        return NULL;
    const struct folder_version *version = &s->versions[s->commits[at].version - 1];
    return version->has_record ? version : NULL;
}

/* The parent from which an update started; NULL: the commit has no new record. */
static int find_parent(const struct folder_version **out, const struct history_search *s,
                       const struct visited_commit *commit, const struct folder_version *after)
{
    ARENA_SCRATCH(scratch);
    struct commit read;
    *out = NULL;
    if (repo_commit(&read, &scratch, s->repo->store, &commit->id, s->err) < 0)
        return -1;
    for (size_t i = read.parent_count; i-- > 0;) {
        const struct folder_version *version = version_at(s, &read.parents[i]);
        if (version && oid_equal(&version->recorded, &after->recorded)) {
            *out = NULL;
            return 0;
        }
        *out = version ? version : *out;
    }
    return 0;
}

static int replay_one(struct history_search *s, const struct visited_commit *commit)
{
    const struct folder_version *after = version_at(s, &commit->id), *before;
    const struct base_tree *base;
    struct base_tree made;
    bool clean;
    if (!after || tree_of(s, &after->recorded))
        return 0;
    if (find_parent(&before, s, commit, after) < 0)
        return -1;
    base = before ? tree_of(s, &before->recorded) : NULL;
    if (!base || ++s->replays > REPLAYS_MAX || s->replayed_files > REPLAYED_FILES_MAX)
        return 0;
    if (replay_update(&made.held, &clean, s, &base->held, &before->shown.held, &after->shown.held) <
        0)
        return -1;
    if (!clean)
        return 0;
    if (base_tree_bare(&made.tree, s->repo, &made.held, s->err) < 0)
        return -1;
    if (oid_equal(&made.tree, &after->recorded))
        add_tree(s, &made);
    return 0;
}

/* Each commit is listed before its parents, so that one turn is mostly enough. */
static int replay_all(struct history_search *s)
{
    size_t before;
    do {
        before = s->tree_count;
        for (size_t i = s->commit_count; !s->found && i-- > 0;)
            if (replay_one(s, &s->commits[i]) < 0)
                return -1;
    } while (!s->found && s->tree_count > before);
    return 0;
}

/* ---------------------------------------------------------------- all of them */

static void take_proven(struct base_history *out, struct history_search *s)
{
    struct oid_map taken = {0};
    const struct base_tree *wanted = tree_of(s, s->wanted);
    out->trees = arena_array(s->arena, s->record_count + 1, sizeof(*out->trees));
    if (wanted) {
        out->trees[out->count++] = *wanted;
        (void)oid_map_add(&taken, s->wanted, 0);
    }
    for (size_t i = 0; i < s->record_count; i++) {
        const struct base_tree *tree = tree_of(s, &s->recorded[i]);
        if (tree && oid_map_add(&taken, &tree->tree, i))
            out->trees[out->count++] = *tree;
    }
    oid_map_release(&taken);
}

int base_history_read(struct base_history *out, struct arena *arena, const struct repo *repo,
                      const struct oid *wanted, struct err *err)
{
    struct history_search s = {.repo = repo, .arena = arena, .wanted = wanted, .err = err};
    *out = (struct base_history){NULL, 0};
    int rc = repo->unborn ? 0 : history_walk(repo, &repo->head, visit, &s, err);
    if (rc == 0)
        rc = replay_all(&s);
    if (rc == 0)
        take_proven(out, &s);
    oid_map_release(&s.folders);
    oid_map_release(&s.records);
    oid_map_release(&s.numbers);
    oid_map_release(&s.places);
    return rc;
}

const struct base_tree *base_history_find(const struct base_history *history,
                                          const struct oid *tree)
{
    for (size_t i = 0; i < history->count; i++)
        if (oid_equal(&history->trees[i].tree, tree))
            return &history->trees[i];
    return NULL;
}

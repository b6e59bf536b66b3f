/* What a child's own history proves of the renders that it was made from. */
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
#include "update/base/base_replay.h"

#include <string.h>

/* A folder of the child as a commit had it; most commits share theirs with others. */
struct folder_version {
    struct base_tree shown;
    struct oid recorded; /* the id that its record has */
    bool has_record;
};

struct visited_commit {
    struct oid id;
    size_t version; /* its number + 1; 0: the child is not in it */
};

struct digging {
    const struct repo *repo;
    struct arena *arena;
    const struct oid *wanted;
    struct folder_version *versions;
    size_t version_count;
    struct visited_commit *commits; /* newest first */
    size_t commit_count;
    struct base_tree *trees; /* what commits show */
    size_t tree_count;
    struct oid_map folders, records, numbers, places; /* of versions, records, commits, trees */
    struct oid *recorded; /* by the number of a record's file; zero: no record */
    size_t record_count;
    int replays;
    size_t replayed_files;
    bool found;
    struct err *err;
};

static const struct oid none;

/* Enough for a decade of updates; a hostile history has no end. */
enum { REPLAYS_MAX = 1000, REPLAYED_FILES_MAX = 20000000 };

/* ---------------------------------------------------------------- the walk */

static void add_tree(struct digging *d, const struct base_tree *tree)
{
    if (!oid_map_add(&d->places, &tree->tree, d->tree_count))
        return;
    d->trees = arena_grow(d->arena, d->trees, d->tree_count, sizeof(*d->trees));
    d->trees[d->tree_count++] = *tree;
    d->found = d->found || oid_equal(&tree->tree, d->wanted);
}

static const struct base_tree *tree_of(const struct digging *d, const struct oid *id)
{
    size_t at;
    return oid_map_find(&at, &d->places, id) ? &d->trees[at] : NULL;
}

/* The id that a record names; zero where it is none. */
static int read_recorded(struct oid *out, struct digging *d, const struct oid *blob)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    struct record record;
    size_t at;
    *out = none;
    if (oid_map_find(&at, &d->records, blob)) {
        *out = d->recorded[at];
        return 0;
    }
    if (store_get(&text, d->repo->store, STORE_BLOB, blob, RECORD_PATH, d->err) < 0)
        return -1;
    if (text.bytes.len > LIMIT_DOCUMENT_BYTES ||
        record_parse(&record, &scratch, RECORD_PATH, text.bytes, &ignored) < 0 ||
        oid_parse(out, record.tree) < 0)
        *out = none;
    (void)oid_map_add(&d->records, blob, d->record_count);
    d->recorded = arena_grow(d->arena, d->recorded, d->record_count, sizeof(*d->recorded));
    d->recorded[d->record_count++] = *out;
    return 0;
}

static int add_version(size_t *number, struct digging *d, const struct base_tree *shown)
{
    struct tree_entry record;
    struct folder_version version = {.shown = *shown};
    if (oid_map_find(number, &d->folders, &shown->held))
        return 0;
    if (tree_find(&record, d->repo->store, &shown->held, RECORD_PATH, d->err) < 0 ||
        (tree_entry_is_file(&record) && read_recorded(&version.recorded, d, &record.id) < 0))
        return -1;
    version.has_record = !oid_equal(&version.recorded, &none);
    *number = d->version_count;
    (void)oid_map_add(&d->folders, &shown->held, *number);
    d->versions = arena_grow(d->arena, d->versions, d->version_count, sizeof(*d->versions));
    d->versions[d->version_count++] = version;
    add_tree(d, shown);
    return 0;
}

/* Of a child in a folder: a commit may hold the render alone, without the folder. */
static int look_at_whole(struct digging *d, const struct oid *commit)
{
    struct base_tree whole;
    bool found;
    if (!*d->repo->prefix)
        return 0;
    if (base_tree_at(&whole, &found, d->repo, commit, true, d->err) < 0)
        return -1;
    if (found && oid_equal(&whole.tree, d->wanted))
        add_tree(d, &whole);
    return 0;
}

static int visit(bool *stop, void *context, const struct oid *commit)
{
    struct digging *d = context;
    struct base_tree shown;
    struct visited_commit visited = {.id = *commit};
    bool found;
    if (base_tree_at(&shown, &found, d->repo, commit, false, d->err) < 0 ||
        (found && add_version(&visited.version, d, &shown) < 0) || look_at_whole(d, commit) < 0)
        return -1;
    visited.version = found ? visited.version + 1 : 0;
    (void)oid_map_add(&d->numbers, commit, d->commit_count);
    d->commits = arena_grow(d->arena, d->commits, d->commit_count, sizeof(*d->commits));
    d->commits[d->commit_count++] = visited;
    *stop = d->found;
    return 0;
}

/* ---------------------------------------------------------------- updates */

static const struct folder_version *version_at(const struct digging *d, const struct oid *commit)
{
    size_t at;
    if (!oid_map_find(&at, &d->numbers, commit) || !d->commits[at].version)
        return NULL;
    const struct folder_version *version = &d->versions[d->commits[at].version - 1];
    return version->has_record ? version : NULL;
}

/* The parent that an update started from; NULL where a commit brings no record that is new. */
static int find_parent(const struct folder_version **out, const struct digging *d,
                       const struct visited_commit *commit, const struct folder_version *after)
{
    ARENA_SCRATCH(scratch);
    struct commit read;
    *out = NULL;
    if (repo_commit(&read, &scratch, d->repo->store, &commit->id, d->err) < 0)
        return -1;
    for (size_t i = read.parent_count; i-- > 0;) {
        const struct folder_version *version = version_at(d, &read.parents[i]);
        if (version && oid_equal(&version->recorded, &after->recorded)) {
            *out = NULL;
            return 0;
        }
        *out = version ? version : *out;
    }
    return 0;
}

static int replay_one(struct digging *d, const struct visited_commit *commit)
{
    const struct folder_version *after = version_at(d, &commit->id), *before;
    const struct base_tree *base;
    struct base_tree made = {.commit = commit->id};
    struct replayed replayed;
    if (!after || tree_of(d, &after->recorded))
        return 0;
    if (find_parent(&before, d, commit, after) < 0)
        return -1;
    base = before ? tree_of(d, &before->recorded) : NULL;
    if (!base || ++d->replays > REPLAYS_MAX || d->replayed_files > REPLAYED_FILES_MAX)
        return 0;
    if (base_replay(&replayed, d->repo, &base->held, &before->shown.held, &after->shown.held,
                    d->err) < 0)
        return -1;
    d->replayed_files += replayed.files;
    if (!replayed.clean)
        return 0;
    made.held = replayed.tree;
    if (base_tree_bare(&made.tree, d->repo, &made.held, d->err) < 0)
        return -1;
    if (oid_equal(&made.tree, &after->recorded))
        add_tree(d, &made);
    return 0;
}

/* Parents stand behind their children's generation: mostly one turn is enough. */
static int replay_all(struct digging *d)
{
    size_t before;
    do {
        before = d->tree_count;
        for (size_t i = d->commit_count; !d->found && i-- > 0;)
            if (replay_one(d, &d->commits[i]) < 0)
                return -1;
    } while (!d->found && d->tree_count > before);
    return 0;
}

/* ---------------------------------------------------------------- what came of it */

static void take_proven(struct base_history *out, struct digging *d)
{
    struct oid_map taken = {0};
    const struct base_tree *wanted = tree_of(d, d->wanted);
    out->trees = arena_array(d->arena, d->record_count + 1, sizeof(*out->trees));
    if (wanted) {
        out->trees[out->count++] = *wanted;
        (void)oid_map_add(&taken, d->wanted, 0);
    }
    for (size_t i = 0; i < d->record_count; i++) {
        const struct base_tree *tree = tree_of(d, &d->recorded[i]);
        if (tree && oid_map_add(&taken, &tree->tree, i))
            out->trees[out->count++] = *tree;
    }
    oid_map_release(&taken);
}

int base_history_read(struct base_history *out, struct arena *arena, const struct repo *repo,
                      const struct oid *wanted, struct err *err)
{
    struct digging d = {.repo = repo, .arena = arena, .wanted = wanted, .err = err};
    *out = (struct base_history){NULL, 0};
    int rc = repo->unborn ? 0 : history_walk(repo, &repo->head, visit, &d, err);
    if (rc == 0)
        rc = replay_all(&d);
    if (rc == 0)
        take_proven(out, &d);
    oid_map_release(&d.folders);
    oid_map_release(&d.records);
    oid_map_release(&d.numbers);
    oid_map_release(&d.places);
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

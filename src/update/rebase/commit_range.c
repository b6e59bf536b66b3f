/* The commits that a rebase replays: the child's own, from the root to HEAD, in a line. */
#include "update/rebase/commit_range.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/render.h"
#include "child/provenance.h"
#include "git/libgit2.h"
#include "git/oid_map.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "update/base/base_tree.h"

#include <git2.h>
#include <string.h>

static const struct oid none;

const char *range_name(struct arena *arena, const struct raw_commit *commit)
{
    return arena_printf(arena, "%.10s (%s)", oid_text(arena, &commit->id), commit->subject);
}

/* ---------------------------------------------------------------- the line of commits */

static int refuse_merge(const struct raw_commit *raw, struct arena *arena, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "merge-in-range",
                  "commit %s is a merge: what is in it alone would be lost",
                  range_name(arena, raw));
    return err_hint(err, "'tmplgen update' without --strategy rebase takes the new version on top");
}

static int refuse_shallow(const struct raw_commit *raw, struct arena *arena, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "shallow", "the commits before %s are not here",
                  range_name(arena, raw));
    return err_hint(err, "'git fetch --unshallow' brings them");
}

static int add_commit(struct commit_range *out, struct arena *arena, const struct repo *repo,
                      const struct oid *id, struct err *err)
{
    out->commits = arena_grow(arena, out->commits, out->count, sizeof(*out->commits));
    struct range_commit *commit = &out->commits[out->count++];
    *commit = (struct range_commit){.is_update = false};
    if (raw_commit_read(&commit->raw, arena, repo->store, id, err) < 0)
        return -1;
    if (commit->raw.parent_count > 1)
        return refuse_merge(&commit->raw, arena, err);
    return 0;
}

static void turn_round(struct commit_range *range)
{
    for (size_t i = 0, j = range->count; i + 1 < j; i++) {
        struct range_commit held = range->commits[i];
        range->commits[i] = range->commits[--j];
        range->commits[j] = held;
    }
    for (size_t i = 1; i < range->count; i++)
        range->commits[i].parent_tree = range->commits[i - 1].raw.tree;
}

static int read_line(struct commit_range *out, struct arena *arena, const struct repo *repo,
                     const struct oid *tip, struct err *err)
{
    for (struct oid id = *tip; !oid_equal(&id, &none);) {
        if (add_commit(out, arena, repo, &id, err) < 0)
            return -1;
        const struct raw_commit *raw = &out->commits[out->count - 1].raw;
        id = raw->parent;
        if (!oid_equal(&id, &none) && repo_is_shallow(repo) && !store_has(repo->store, &id))
            return refuse_shallow(raw, arena, err);
    }
    turn_round(out);
    return 0;
}

/* ---------------------------------------------------------------- what each says of itself */

static int read_file(struct span *out, struct arena *arena, const struct repo *repo,
                     const struct tree_entry *leaf, const char *path, struct err *err)
{
    STORE_BYTES_SCRATCH(bytes);
    *out = span_of("", 0);
    if (!tree_entry_is_file(leaf))
        return 0;
    if (store_get(&bytes, repo->store, STORE_BLOB, &leaf->id, path, err) < 0)
        return -1;
    if (bytes.bytes.len <= LIMIT_DOCUMENT_BYTES)
        *out = span_of(arena_memdup(arena, bytes.bytes.ptr, bytes.bytes.len), bytes.bytes.len);
    return 0;
}

static int parse_record(struct range_commit *commit, struct arena *arena, const struct repo *repo,
                        struct err *err)
{
    ERR_SCRATCH(ignored);
    struct span text, overlay;
    struct record *record = arena_alloc(arena, sizeof(*record));
    if (read_file(&text, arena, repo, &commit->record_leaf, RECORD_PATH, err) < 0 ||
        read_file(&overlay, arena, repo, &commit->overlay_leaf, OVERLAY_PATH, err) < 0)
        return -1;
    if (!text.len || record_parse(record, arena, RECORD_PATH, text, &ignored) < 0)
        return 0;
    commit->record = record;
    commit->is_update = commit->made && strcmp(commit->made->tree, record->tree) != 0;
    if (!commit->made || commit->is_update || record_is_genuine(record, overlay))
        commit->made = record;
    return 0;
}

/* A record with conflict markers and the like says nothing. */
static int read_record(struct range_commit *commit, const struct range_commit *before,
                       struct arena *arena, const struct repo *repo, struct err *err)
{
    const struct oid *tree = &commit->raw.tree;
    commit->made = before ? before->made : NULL;
    if (tree_find(&commit->record_leaf, repo->store, tree, RECORD_PATH, err) < 0 ||
        tree_find(&commit->overlay_leaf, repo->store, tree, OVERLAY_PATH, err) < 0)
        return -1;
    if (!before || !tree_entry_equal(&commit->record_leaf, &before->record_leaf) ||
        !tree_entry_equal(&commit->overlay_leaf, &before->overlay_leaf))
        return parse_record(commit, arena, repo, err);
    commit->record = before->record;
    return 0;
}

static int read_records(struct commit_range *range, struct arena *arena, const struct repo *repo,
                        struct err *err)
{
    for (size_t i = 0; i < range->count; i++)
        if (read_record(&range->commits[i], i ? &range->commits[i - 1] : NULL, arena, repo, err) <
            0)
            return -1;
    return 0;
}

/* The root has no record: it may be what the next one's renders to, as rebase and merge make it. */
static int check_root(struct commit_range *range, struct arena *arena, struct err *err)
{
    const struct range_commit *root = &range->commits[0], *next = root + 1;
    char tree[41];
    if (root->record)
        return 0;
    oid_hex(tree, &root->raw.tree);
    if (range->count > 1 && next->record && strcmp(next->record->tree, tree) == 0) {
        range->commits++;
        range->count--;
        return 0;
    }
    (void)err_set(err, TG_REFUSED, "unsound-root",
                  "the root commit %s has no valid " RECORD_PATH
                  ": it was not made from the template",
                  range_name(arena, &root->raw));
    return err_hint(err, "'tmplgen update' without --strategy rebase takes the new version on top");
}

/* ---------------------------------------------------------------- who else has them */

/* A commit outside of the range whose parents are looked at. */
struct holder_step {
    struct holder_step *child;
    struct commit commit;
    size_t next;  /* of its parents */
    size_t place; /* in `reached` */
};

/* A walk from refs down to the range; what one ref came to, the next ones need not walk again. */
struct holder_search {
    struct arena arena;
    const struct repo *repo;
    const char *lands;          /* the branch that is to be moved */
    struct oid_map range, seen; /* places in the range; in `reached` */
    size_t *reached, count;     /* so many commits of the range, from its start */
    struct holder_step *step;
    struct err *err;
};

static void raise_to(size_t *most, size_t found)
{
    if (found > *most)
        *most = found;
}

/* What is known of it at once goes into `most`; else it is the next step. */
static int enter(struct holder_search *s, const struct oid *id, size_t *most)
{
    size_t at;
    if (oid_map_find(&at, &s->range, id)) {
        raise_to(most, at + 1);
        return 0;
    }
    if (s->reached && oid_map_find(&at, &s->seen, id)) {
        raise_to(most, s->reached[at]);
        return 0;
    }
    if (!store_has(s->repo->store, id))
        return 0;
    struct holder_step *step = arena_alloc(&s->arena, sizeof(*step));
    *step = (struct holder_step){.child = s->step, .place = s->count};
    s->step = step;
    s->reached = arena_grow(&s->arena, s->reached, s->count, sizeof(*s->reached));
    s->reached[s->count] = 0;
    (void)oid_map_add(&s->seen, id, s->count++);
    return repo_commit(&step->commit, &s->arena, s->repo->store, id, s->err);
}

static int search_from(size_t *most, struct holder_search *s, const struct oid *tip)
{
    struct holder_step *step;
    *most = 0;
    if (enter(s, tip, most) < 0)
        return -1;
    while ((step = s->step)) {
        size_t found = s->reached[step->place];
        if (step->next < step->commit.parent_count) {
            if (enter(s, &step->commit.parents[step->next++], &found) < 0)
                return -1;
            raise_to(&s->reached[step->place], found);
            continue;
        }
        s->step = step->child;
        raise_to(step->child ? &s->reached[step->child->place] : most, found);
    }
    return 0;
}

/* The commit that a ref comes to; `*found` is false where it names something else, or nothing. */
static int peel(struct oid *out, bool *found, const struct holder_search *s, git_reference *ref)
{
    git_object *object = NULL;
    int rc = git_reference_peel(&object, ref, GIT_OBJECT_COMMIT);
    *found = rc == 0;
    if (*found)
        memcpy(out->id, git_object_id(object)->id, sizeof(out->id));
    git_object_free(object);
    if (rc == 0 || rc == GIT_ENOTFOUND || rc == GIT_EPEEL || rc == GIT_EINVALIDSPEC)
        return 0;
    return git_fail(s->err, "cannot read what '%s' names", git_reference_name(ref));
}

/* A remote's HEAD follows a branch that is listed by its own name. */
static bool is_looked_at(const struct holder_search *s, git_reference *ref)
{
    const char *name = git_reference_name(ref);
    bool follows = git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC;
    return !str_equal(name, s->lands) && !(follows && !str_starts(name, "refs/tags/"));
}

static int add_holder(struct commit_range *out, struct arena *arena, struct holder_search *s,
                      git_reference *ref)
{
    struct oid tip;
    bool found;
    size_t most;
    const char *name = git_reference_name(ref);
    if (!is_looked_at(s, ref))
        return 0;
    if (peel(&tip, &found, s, ref) < 0 || (found && search_from(&most, s, &tip) < 0))
        return -1;
    if (!found || most == 0)
        return 0;
    out->holders = arena_grow(arena, out->holders, out->holder_count, sizeof(*out->holders));
    out->holders[out->holder_count++] = (struct range_holder){arena_strdup(arena, name), tip, most};
    return 0;
}

static int list_holders(struct commit_range *out, struct arena *arena, struct holder_search *s)
{
    static const char *const globs[] = {"refs/remotes/*", "refs/tags/*", "refs/heads/*"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(globs) / sizeof(*globs); i++) {
        git_reference_iterator *iterator = NULL;
        git_reference *ref;
        int next = 0;
        if (git_reference_iterator_glob_new(&iterator, s->repo->git, globs[i]) < 0)
            return git_fail(s->err, "cannot list '%s'", globs[i]);
        while (rc == 0 && (next = git_reference_next(&ref, iterator)) == 0) {
            rc = add_holder(out, arena, s, ref);
            git_reference_free(ref);
        }
        if (rc == 0 && next != GIT_ITEROVER)
            rc = git_fail(s->err, "cannot list '%s'", globs[i]);
        git_reference_iterator_free(iterator);
    }
    return rc;
}

int range_read(struct commit_range *out, struct arena *arena, const struct repo *repo,
               const struct oid *tip, struct err *err)
{
    *out = (struct commit_range){0};
    if (read_line(out, arena, repo, tip, err) < 0 || read_records(out, arena, repo, err) < 0)
        return -1;
    return check_root(out, arena, err);
}

int range_find_holders(struct commit_range *out, struct arena *arena, const struct repo *repo,
                       const char *lands, struct err *err)
{
    struct holder_search search = {.arena = ARENA_INIT, .repo = repo, .lands = lands, .err = err};
    for (size_t i = 0; i < out->count; i++)
        (void)oid_map_add(&search.range, &out->commits[i].raw.id, i);
    int rc = list_holders(out, arena, &search);
    oid_map_release(&search.range);
    oid_map_release(&search.seen);
    arena_release(&search.arena);
    return rc;
}

static bool publishes(const struct range_holder *holder)
{
    return str_starts(holder->ref, "refs/remotes/") || str_starts(holder->ref, "refs/tags/");
}

int range_check_published(const struct commit_range *range, struct arena *arena, struct err *err)
{
    const struct range_holder *most = NULL;
    for (size_t i = 0; i < range->holder_count; i++)
        if (publishes(&range->holders[i]) && (!most || range->holders[i].commits > most->commits))
            most = &range->holders[i];
    if (!most)
        return 0;
    (void)err_set(err, TG_REFUSED, "published",
                  "commit %s is published: '%s' has it (%zu of the %zu commits that would be "
                  "rewritten)",
                  range_name(arena, &range->commits[most->commits - 1].raw), most->ref,
                  most->commits, range->count);
    return err_hint(err, "'tmplgen update' without --strategy rebase rewrites nothing; where "
                         "everybody who has them agrees, --rewrite-published does it");
}

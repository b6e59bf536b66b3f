/* The provenance of a child: the record as it was made, and as it is wanted now. */
#include "child/provenance.h"

#include "base/arena.h"
#include "catalog/render.h"
#include "git/git_index.h"
#include "git/history.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "git/worktree.h"

#include <string.h>

#define NO_OVERLAY span_of("", 0)

/* Reads the child's file at `path` in a tree of the whole repository; empty: there is none. */
static int read_file(struct span *out, struct tree_entry *leaf, const struct repo *repo,
                     const struct oid *tree, const char *path, struct err *err)
{
    *out = span_of("", 0);
    if (tree_find(leaf, repo->store, tree, repo_path(repo, path), err) < 0)
        return -1;
    return tree_entry_is_file(leaf)
               ? store_copy(out, repo->arena, repo->store, STORE_BLOB, &leaf->id, path, err)
               : 0;
}

/* Record and overlay in one tree. */
struct record_version {
    struct record record;
    struct span overlay;
    struct tree_entry leaf, overlay_leaf;
};

static int read_version(struct record_version *out, const struct repo *repo, const struct oid *tree,
                        struct err *err)
{
    struct span text;
    if (read_file(&text, &out->leaf, repo, tree, RECORD_PATH, err) < 0 ||
        read_file(&out->overlay, &out->overlay_leaf, repo, tree, OVERLAY_PATH, err) < 0)
        return -1;
    if (!tree_entry_is_file(&out->leaf))
        return 0;
    return record_parse(&out->record, repo->arena, RECORD_PATH, text, err);
}

int provenance_at(struct record *out, bool *found, const struct repo *repo,
                  const struct oid *commit, struct err *err)
{
    struct commit read;
    struct span text;
    struct tree_entry leaf;
    ERR_SCRATCH(ignored);
    *found = false;
    if (!store_has(repo->store, commit))
        return 0;
    if (repo_commit(&read, repo->arena, repo->store, commit, err) < 0 ||
        read_file(&text, &leaf, repo, &read.tree, RECORD_PATH, err) < 0)
        return -1;
    *found = tree_entry_is_file(&leaf) &&
             record_parse(out, repo->arena, RECORD_PATH, text, &ignored) == 0;
    return 0;
}

/* A matching record and overlay: the record that tmplgen wrote, and the overlay of that time. */
struct search {
    const struct repo *repo;
    struct provenance *out;
    struct tree_entry record, overlay; /* the last ones compared: most commits change neither */
    bool found;
    struct err *err;
};

static bool fits(struct search *s, const struct record *record, struct span overlay)
{
    if (!record_is_genuine(record, overlay))
        return false;
    s->out->made = *record;
    s->out->edited = record != &s->out->wanted;
    s->out->overlay_changed = !span_equal(overlay, s->out->overlay);
    return s->found = true;
}

static int look_at(bool *stop, void *context, const struct oid *commit)
{
    struct search *s = context;
    struct commit read;
    struct tree_entry record, overlay;
    struct record_version version;
    ERR_SCRATCH(ignored);
    if (repo_commit(&read, s->repo->arena, s->repo->store, commit, s->err) < 0 ||
        tree_find(&record, s->repo->store, &read.tree, repo_path(s->repo, RECORD_PATH), s->err) <
            0 ||
        tree_find(&overlay, s->repo->store, &read.tree, repo_path(s->repo, OVERLAY_PATH), s->err) <
            0)
        return -1;
    if (!tree_entry_is_file(&record) ||
        (tree_entry_equal(&record, &s->record) && tree_entry_equal(&overlay, &s->overlay)))
        return 0;
    s->record = record;
    s->overlay = overlay;
    if (read_version(&version, s->repo, &read.tree, &ignored) < 0)
        return 0; /* a broken version proves nothing */
    *stop = fits(s, &s->out->wanted, version.overlay) ||
            fits(s, &version.record, version.overlay) || fits(s, &version.record, NO_OVERLAY);
    return 0;
}

static int none_fits(const struct provenance *provenance, const struct repo *repo, struct err *err)
{
    if (provenance->overlay.len)
        (void)err_set(err, TG_REFUSED, "edited-record",
                      "'%s' was not made with '%s' as it is now, and no committed versions of the "
                      "two belong together",
                      RECORD_PATH, OVERLAY_PATH);
    else
        (void)err_set(
            err, TG_REFUSED, "edited-record",
            "'%s' was edited by hand, and no committed version of it is as tmplgen wrote it",
            RECORD_PATH);
    if (repo_is_shallow(repo))
        return err_hint(err, "this clone is shallow: 'git fetch --unshallow' brings the older "
                             "versions");
    return err_hint(err, "restore a version that tmplgen wrote, commit it, and use --set");
}

/*
 * Finds the record as made: the one in HEAD, with the present overlay, none (one was added) or an
 * older one; else the newest older record that fits.
 */
static int find_base(struct provenance *out, const struct repo *repo, struct err *err)
{
    struct search s = {.repo = repo, .out = out, .err = err};
    if (fits(&s, &out->wanted, out->overlay) || fits(&s, &out->wanted, NO_OVERLAY))
        return 0;
    if (history_walk(repo, &repo->head, look_at, &s, err) < 0)
        return -1;
    return s.found ? 0 : none_fits(out, repo, err);
}

static int missing(const struct repo *repo, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "no-record", "'%s' is not committed",
                  repo_path(repo, RECORD_PATH));
    return err_hint(err, "commit the project as it was made first");
}

/* The user may edit only answers and request: restores the rest. */
static int take_edits(struct provenance *out, struct err *err)
{
    if (strcmp(out->made.type, out->wanted.type) != 0)
        return err_set(err, TG_USAGE, "invalid-record",
                       "the record says template '%s', but the project was made from '%s'",
                       out->wanted.type, out->made.type);
    out->wanted.resolution = out->made.resolution;
    out->wanted.engine = out->made.engine;
    memcpy(out->wanted.tree, out->made.tree, sizeof(out->wanted.tree));
    return 0;
}

int provenance_read(struct provenance *out, const struct repo *repo, struct err *err)
{
    struct record_version head;
    *out = (struct provenance){.overlay = NO_OVERLAY};
    if (repo->unborn)
        return missing(repo, err);
    if (read_version(&head, repo, &repo->tree, err) < 0)
        return -1;
    if (!tree_entry_is_file(&head.leaf))
        return missing(repo, err);
    out->wanted = head.record;
    out->overlay = head.overlay;
    out->leaf = head.leaf;
    out->overlay_leaf = head.overlay_leaf;
    return find_base(out, repo, err) < 0 ? -1 : take_edits(out, err);
}

/* True for a file of the index that a sparse checkout keeps out of the work tree. */
static int is_left_out(bool *out, const struct repo *repo, const char *path, struct err *err)
{
    struct index *index;
    struct index_item item;
    if (index_open(&index, repo_index_path(repo), err) < 0)
        return -1;
    *out = index_find(&item, index, path) && item.sparse;
    index_free(index);
    return 0;
}

/* Only files count, as in read_file. */
static struct tree_entry file_or_absent(const struct tree_entry *leaf)
{
    return tree_entry_is_file(leaf) ? *leaf : (struct tree_entry){0};
}

static int is_dirty(bool *out, const struct repo *repo, struct worktree_attributes *attributes,
                    const char *path, const struct tree_entry *known, struct err *err)
{
    struct tree_entry disk, head = file_or_absent(known);
    bool left_out = false;
    if (worktree_leaf(&disk, NULL, attributes, path, &head, err) < 0)
        return -1;
    disk = file_or_absent(&disk);
    if (disk.mode == LEAF_ABSENT && head.mode != LEAF_ABSENT &&
        is_left_out(&left_out, repo, path, err) < 0)
        return -1;
    *out = !left_out && !tree_entry_equal(&disk, &head);
    return 0;
}

int provenance_find_dirty(const char **path, const struct repo *repo,
                          const struct provenance *provenance, struct err *err)
{
    const struct {
        const char *path;
        const struct tree_entry *leaf;
    } files[] = {{RECORD_PATH, &provenance->leaf}, {OVERLAY_PATH, &provenance->overlay_leaf}};
    struct worktree_attributes *attributes = worktree_attributes_now(repo);
    bool dirty = false;
    for (size_t i = 0; !dirty && i < sizeof(files) / sizeof(*files); i++) {
        *path = repo_path(repo, files[i].path);
        if (is_dirty(&dirty, repo, attributes, *path, files[i].leaf, err) < 0)
            return -1;
    }
    if (!dirty)
        *path = NULL;
    return 0;
}

int provenance_check_disk(const struct repo *repo, const struct provenance *provenance,
                          struct err *err)
{
    const char *path;
    if (provenance_find_dirty(&path, repo, provenance, err) < 0)
        return -1;
    if (!path)
        return 0;
    (void)err_set(err, TG_REFUSED, "dirty", "'%s' has changes that are not committed", path);
    return err_hint(err, "commit them, then run this again");
}

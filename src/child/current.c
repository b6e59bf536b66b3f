/* The record of a child as an update takes it: what it was made from, and what is wanted now. */
#include "child/current.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"
#include "catalog/render.h"
#include "child/history.h"
#include "child/repo.h"
#include "child/store.h"
#include "child/tree.h"
#include "child/worktree.h"

#include <stdlib.h>
#include <string.h>

/* The file at `path` of the child in a tree of the whole repository; empty where there is none. */
static int read_file(struct span *out, struct leaf *leaf, const struct repo *repo,
                     const struct oid *tree, const char *path, struct err *err)
{
    STORE_BYTES_SCRATCH(loaded);
    *out = span_of("", 0);
    if (tree_find(leaf, repo->store, tree, repo_path(repo, path), err) < 0)
        return -1;
    if (!leaf_is_file(leaf))
        return 0;
    if (store_get(&loaded, repo->store, STORE_BLOB, &leaf->id, path, err) < 0)
        return -1;
    *out = span_of(arena_memdup(repo->arena, loaded.bytes.ptr, loaded.bytes.len), loaded.bytes.len);
    return 0;
}

static int read_record(struct record *out, struct span *overlay, struct leaf *leaf,
                       const struct repo *repo, const struct oid *tree, struct err *err)
{
    struct span text;
    struct leaf overlay_leaf;
    if (read_file(&text, leaf, repo, tree, RECORD_PATH, err) < 0 ||
        read_file(overlay, &overlay_leaf, repo, tree, OVERLAY_PATH, err) < 0)
        return -1;
    if (!leaf_is_file(leaf))
        return 0;
    return record_parse(out, repo->arena, RECORD_PATH, text, err);
}

int current_at(struct record *out, bool *found, const struct repo *repo, const struct oid *commit,
               struct err *err)
{
    struct commit read;
    struct span text;
    struct leaf leaf;
    ERR_SCRATCH(ignored);
    *found = false;
    if (!store_has(repo->store, commit))
        return 0;
    if (repo_commit(&read, repo->arena, repo->store, commit, err) < 0 ||
        read_file(&text, &leaf, repo, &read.tree, RECORD_PATH, err) < 0)
        return -1;
    *found =
        leaf_is_file(&leaf) && record_parse(out, repo->arena, RECORD_PATH, text, &ignored) == 0;
    return 0;
}

/* A version of the record in history that nobody edited. */
struct search {
    const struct repo *repo;
    struct record *out;
    struct leaf last; /* the version looked at last: most commits do not change it */
    bool found;
    struct err *err;
};

static int look_at(bool *stop, void *context, const struct oid *commit)
{
    struct search *s = context;
    struct commit read;
    struct record record;
    struct span overlay;
    struct leaf leaf;
    ERR_SCRATCH(ignored);
    if (repo_commit(&read, s->repo->arena, s->repo->store, commit, s->err) < 0)
        return -1;
    if (tree_find(&leaf, s->repo->store, &read.tree, repo_path(s->repo, RECORD_PATH), s->err) < 0)
        return -1;
    if (leaf_equal(&leaf, &s->last) || !leaf_is_file(&leaf))
        return 0;
    s->last = leaf;
    if (read_record(&record, &overlay, &leaf, s->repo, &read.tree, &ignored) < 0)
        return 0; /* a broken version proves nothing */
    if (!record_is_genuine(&record, overlay))
        return 0;
    *s->out = record;
    s->found = *stop = true;
    return 0;
}

static int find_genuine(struct current *out, const struct repo *repo, struct err *err)
{
    struct search s = {.repo = repo, .out = &out->base, .err = err};
    if (history_walk(repo, &repo->head, look_at, &s, err) < 0)
        return -1;
    if (s.found)
        return 0;
    (void)err_set(err, TG_REFUSED, "edited-record",
                  "'%s' was edited by hand, and no committed version of it is as tmplgen wrote it",
                  RECORD_PATH);
    return err_hint(err, "restore a version that tmplgen wrote, commit it, and use --set");
}

static bool same_content(const struct record *a, const struct record *b)
{
    bool requests =
        a->request && b->request ? data_equal(a->request, b->request) : a->request == b->request;
    return data_equal(a->answers, b->answers) && requests && strcmp(a->type, b->type) == 0;
}

static int missing(const struct repo *repo, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "no-record", "'%s' is not committed",
                  repo_path(repo, RECORD_PATH));
    return err_hint(err, "commit the project as it was made first");
}

int current_read(struct current *out, const struct repo *repo, struct err *err)
{
    *out = (struct current){.overlay = {"", 0}};
    if (repo->unborn)
        return missing(repo, err);
    if (read_record(&out->wanted, &out->overlay, &out->leaf, repo, &repo->tree, err) < 0)
        return -1;
    if (!leaf_is_file(&out->leaf))
        return missing(repo, err);
    out->base = out->wanted;
    if (record_is_genuine(&out->wanted, out->overlay))
        return 0;
    if (find_genuine(out, repo, err) < 0)
        return -1;
    if (strcmp(out->base.type, out->wanted.type) != 0)
        return err_set(err, TG_USAGE, "invalid-record",
                       "the record says template '%s', but the project was made from '%s'",
                       out->wanted.type, out->base.type);
    out->edited = !same_content(&out->base, &out->wanted);
    out->overlay_changed = !out->edited;
    /* What is no answer and no request is not the user's to say. */
    out->wanted.resolution = out->base.resolution;
    out->wanted.engine = out->base.engine;
    memcpy(out->wanted.tree, out->base.tree, sizeof(out->wanted.tree));
    return 0;
}

int current_check_disk(const struct repo *repo, const struct current *current, struct err *err)
{
    struct leaf leaf;
    const char *path = repo_path(repo, RECORD_PATH);
    if (worktree_leaf(&leaf, NULL, worktree_attributes_now(repo), path, &current->leaf, err) < 0)
        return -1;
    if (leaf_equal(&leaf, &current->leaf))
        return 0;
    (void)err_set(err, TG_REFUSED, "dirty", "'%s' has changes that are not committed", path);
    return err_hint(err, "commit them, then run this again");
}

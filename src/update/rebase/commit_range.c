/* The commits that a rebase replays: the child's own, from the root to HEAD, in a line. */
#include "update/rebase/commit_range.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/render.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"

#include <string.h>

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
    struct range_commit *commit = &arena_push(arena, out->commits, out->count);
    *commit = (struct range_commit){.is_update = false};
    if (raw_commit_read(&commit->raw, arena, repo->store, id, err) < 0)
        return -1;
    if (commit->raw.parent_count > 1)
        return refuse_merge(&commit->raw, arena, err);
    return 0;
}

static void reverse(struct commit_range *range)
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
    for (struct oid id = *tip; !oid_is_zero(&id);) {
        if (add_commit(out, arena, repo, &id, err) < 0)
            return -1;
        const struct raw_commit *raw = &out->commits[out->count - 1].raw;
        id = raw->parent;
        if (!oid_is_zero(&id) && repo_is_shallow(repo) && !store_has(repo->store, &id))
            return refuse_shallow(raw, arena, err);
    }
    reverse(out);
    return 0;
}

/* ---------------------------------------------------------------- their records */

static int read_file(struct span *out, struct arena *arena, const struct repo *repo,
                     const struct tree_entry *entry, const char *path, struct err *err)
{
    STORE_BYTES_SCRATCH(bytes);
    *out = span_of("", 0);
    if (!tree_entry_is_file(entry))
        return 0;
    if (store_get(&bytes, repo->store, STORE_BLOB, &entry->id, path, err) < 0)
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
    if (read_file(&text, arena, repo, &commit->record_entry, RECORD_PATH, err) < 0 ||
        read_file(&overlay, arena, repo, &commit->overlay_entry, OVERLAY_PATH, err) < 0)
        return -1;
    if (!text.len || record_parse(record, arena, RECORD_PATH, text, &ignored) < 0)
        return 0;
    commit->record = record;
    commit->is_update = commit->made && strcmp(commit->made->tree, record->tree) != 0;
    if (!commit->made || commit->is_update || record_is_genuine(record, overlay))
        commit->made = record;
    return 0;
}

/* A commit whose record cannot be parsed, as with conflict markers, has no record. */
static int read_record(struct range_commit *commit, const struct range_commit *before,
                       struct arena *arena, const struct repo *repo, struct err *err)
{
    const struct oid *tree = &commit->raw.tree;
    commit->made = before ? before->made : NULL;
    if (tree_find(&commit->record_entry, repo->store, tree, RECORD_PATH, err) < 0 ||
        tree_find(&commit->overlay_entry, repo->store, tree, OVERLAY_PATH, err) < 0)
        return -1;
    if (!before || !tree_entry_equal(&commit->record_entry, &before->record_entry) ||
        !tree_entry_equal(&commit->overlay_entry, &before->overlay_entry))
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

/* A root without a record may be the render of the next record: rebase and merge make those. */
static int check_root(struct commit_range *range, struct arena *arena, struct err *err)
{
    const struct range_commit *root = &range->commits[0], *next = root + 1;
    if (root->record)
        return 0;
    if (range->count > 1 && next->record &&
        strcmp(next->record->tree, oid_text(arena, &root->raw.tree)) == 0) {
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

int range_read(struct commit_range *out, struct arena *arena, const struct repo *repo,
               const struct oid *tip, struct err *err)
{
    *out = (struct commit_range){0};
    if (read_line(out, arena, repo, tip, err) < 0 || read_records(out, arena, repo, err) < 0)
        return -1;
    return check_root(out, arena, err);
}

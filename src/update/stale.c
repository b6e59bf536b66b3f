/* A stopped update that its user has ended by git's own means: taken, or given up? */
#include "update/stale.h"

#include "base/arena.h"
#include "catalog/render.h"
#include "child/provenance.h"
#include "git/ref.h"
#include "git/store.h"
#include "git/tree.h"
#include "update/session.h"

#include <string.h>

/* The record among the run's changes, or, where that stays, a file that it staged; or NULL. */
static const struct change *telling_change(const struct session *s)
{
    const struct journal *j = &s->journal;
    const char *record = repo_path(&s->repo, RECORD_PATH);
    const struct change *staged = NULL;
    for (size_t i = 0; i < j->change_count; i++) {
        const struct change *change = &j->changes[i];
        if (strcmp(change->path, record) == 0)
            return change;
        if (!staged && change->stages[0].mode != LEAF_ABSENT)
            staged = change;
    }
    return staged;
}

/* A user may have edited the record further: what it was made from tells it. */
static int has_record(bool *out, const struct session *s, const struct leaf *staged,
                      const struct oid *commit, struct err *err)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    struct record ours, theirs;
    *out = false;
    if (!store_has(s->repo.store, &staged->id))
        return 0; /* collected as garbage: so no commit has it */
    if (store_get(&text, s->repo.store, STORE_BLOB, &staged->id, RECORD_PATH, err) < 0 ||
        current_at(&theirs, out, &s->repo, commit, err) < 0)
        return -1;
    *out = *out && record_parse(&ours, s->arena, RECORD_PATH, text.bytes, &ignored) == 0 &&
           strcmp(ours.tree, theirs.tree) == 0 && strcmp(ours.inputs, theirs.inputs) == 0;
    return 0;
}

/* Whether `commit` holds what the run staged. */
static int was_committed(bool *out, const struct session *s, const struct oid *commit,
                         struct err *err)
{
    const struct change *change = telling_change(s);
    struct commit read;
    struct leaf there;
    *out = false;
    if (!change || oid_equal(commit, &s->journal.branch_new))
        return 0;
    if (strcmp(change->path, repo_path(&s->repo, RECORD_PATH)) == 0)
        return has_record(out, s, &change->stages[0], commit, err);
    if (repo_commit(&read, s->arena, s->repo.store, commit, err) < 0 ||
        tree_find(&there, s->repo.store, &read.tree, change->path, err) < 0)
        return -1;
    *out = leaf_equal(&there, &change->stages[0]);
    return 0;
}

int stale_find_commit(struct oid *commit, bool *found, const struct session *s, struct err *err)
{
    bool there;
    *commit = s->repo.head;
    *found = false;
    if (!s->repo.unborn && was_committed(found, s, commit, err) < 0)
        return -1;
    if (*found)
        return 0;
    if (ref_read(commit, &there, &s->repo, s->journal.branch, err) < 0)
        return -1;
    return there ? was_committed(found, s, commit, err) : 0;
}

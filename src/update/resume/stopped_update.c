/* An update that stopped for a person: in conflict, or staged. */
#include "update/resume/stopped_update.h"

#include "apply/journal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/render.h"
#include "child/child.h"
#include "git/commit.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/ref.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"
#include "plan/three_way.h"
#include "update/strategies.h"

#include <string.h>

enum { SHOWN = 10 };

/* ---------------------------------------------------------------- taken by tmplgen */

/* What is staged for a path that was in conflict must not be what the update wrote there. */
static int still_marked(bool *out, const struct stopped_update *s, const char *path,
                        struct err *err)
{
    STORE_BYTES_SCRATCH(staged);
    struct index_item item;
    bool found;
    *out = false;
    index_find(&item, &found, s->child->index, path);
    if (!found || !tree_entry_is_file(&item.leaf))
        return 0;
    if (store_get(&staged, s->child->repo.store, STORE_BLOB, &item.leaf.id, path, err) < 0)
        return -1;
    *out = three_way_is_marked(staged.bytes);
    return 0;
}

static void add_shown(const struct stopped_update *s, const char **list, size_t *count,
                      const char *path)
{
    if ((*count)++ < SHOWN)
        *list = arena_printf(s->child->arena, "%s%s'%s'", *list, **list ? ", " : "", path);
}

int stopped_update_find_unresolved(const char **list, const struct stopped_update *s,
                                   struct err *err)
{
    size_t count = 0;
    const char *last = "";
    *list = "";
    for (size_t i = 0; i < index_count(s->child->index); i++) {
        struct index_item item;
        index_item(&item, s->child->index, i);
        if (item.stage && strcmp(item.path, last) != 0)
            add_shown(s, list, &count, last = item.path);
    }
    for (size_t i = 0; count == 0 && i < s->journal->change_count; i++) {
        const struct path_change *change = &s->journal->changes[i];
        bool marked = false;
        if (path_change_conflicts(change) && still_marked(&marked, s, change->path, err) < 0)
            return -1;
        if (marked)
            add_shown(s, list, &count, change->path);
    }
    return 0;
}

/* The tree of the index: HEAD's with what differs. */
static int index_tree(struct oid *out, const struct stopped_update *s, struct err *err)
{
    const char **paths;
    size_t count, kept = 0;
    index_differences(&paths, &count, s->child->arena, s->child->index, &s->child->head);
    struct tree_edit *edits = arena_array(s->child->arena, count + 1, sizeof(*edits));
    for (size_t i = 0; i < count; i++) {
        struct index_item item;
        bool found;
        index_find(&item, &found, s->child->index, paths[i]);
        if (found && item.intent_to_add)
            continue;
        edits[kept++] = (struct tree_edit){paths[i], found ? item.leaf : (struct tree_entry){0}};
    }
    return tree_edit(out, s->child->repo.store, s->child->repo.store, repo_tree(&s->child->repo),
                     edits, kept, err);
}

/* MERGE_MSG as the user left it, less its comments. */
static int read_message(const char **out, const struct stopped_update *s, struct err *err)
{
    struct span text = span_from(s->journal->message ? s->journal->message : "Update\n");
    BUF_SCRATCH(message, LIMIT_MESSAGE_BYTES + 1);
    char mark = repo_comment_char(&s->child->repo);
    bool there;
    if (disk_exists(&there, s->child->repo.git_fd, "MERGE_MSG", err) < 0 ||
        (there && io_read_file(&text, s->child->arena, s->child->repo.git_fd, "MERGE_MSG",
                               LIMIT_MESSAGE_BYTES, err) < 0))
        return -1;
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        if (*text.ptr != mark)
            (void)(buf_append(&message, text.ptr, len) < 0 || buf_putc(&message, '\n') < 0);
        text = span_of(text.ptr + len + (end != NULL), text.len - len - (end != NULL));
    }
    size_t len = message.len;
    while (len > 1 && message.ptr[len - 1] == '\n' && message.ptr[len - 2] == '\n')
        len--;
    *out = arena_memdup(s->child->arena, buf_text(&message), len);
    return 0;
}

/* Of a commit that is being replayed: its words stay, to the byte, unless somebody edited them. */
static int message_is_untouched(bool *out, const struct stopped_update *s, struct err *err)
{
    const char *text = s->journal->message;
    bool there;
    *out = false;
    if (!journal_is_sequence(s->journal) || !text)
        return 0;
    if (disk_exists(&there, s->child->repo.git_fd, "MERGE_MSG", err) < 0)
        return -1;
    *out = !there;
    if (*out)
        return 0;
    size_t len = strlen(text);
    while (len && text[len - 1] == '\n')
        len--;
    return ref_says(out, s->child->repo.git_fd, "MERGE_MSG",
                    arena_memdup(s->child->arena, text, len), err);
}

int stopped_update_conclude(struct oid *commit, struct identity *who,
                            const struct stopped_update *s, struct err *err)
{
    const struct repo *repo = &s->child->repo;
    const char *message;
    struct oid tree;
    bool untouched;
    if (message_is_untouched(&untouched, s, err) < 0 || index_tree(&tree, s, err) < 0 ||
        identity_read(who, repo->arena, repo->git, err) < 0 || read_message(&message, s, err) < 0)
        return -1;
    return strategy_of(s->journal)
        ->conclude(commit, s->journal, repo, &tree, who, untouched ? NULL : message, err);
}

/* ---------------------------------------------------------------- ended by git's own means */

/* The record among the run's changes, or, where that stays, a file that it staged; or NULL. */
static const struct path_change *telling_change(const struct stopped_update *s)
{
    const struct journal *j = s->journal;
    const char *record = repo_path(&s->child->repo, RECORD_PATH);
    const struct path_change *staged = NULL;
    for (size_t i = 0; i < j->change_count; i++) {
        const struct path_change *change = &j->changes[i];
        if (strcmp(change->path, record) == 0)
            return change;
        if (!staged && change->stages[0].mode != LEAF_ABSENT)
            staged = change;
    }
    return staged;
}

/* A user may have edited the record further: what it was made from tells it. */
static int has_record(bool *out, const struct stopped_update *s, const struct tree_entry *staged,
                      const struct oid *commit, struct err *err)
{
    ERR_SCRATCH(ignored);
    STORE_BYTES_SCRATCH(text);
    struct record ours, theirs;
    *out = false;
    if (!store_has(s->child->repo.store, &staged->id))
        return 0; /* collected as garbage: so no commit has it */
    if (store_get(&text, s->child->repo.store, STORE_BLOB, &staged->id, RECORD_PATH, err) < 0 ||
        provenance_at(&theirs, out, &s->child->repo, commit, err) < 0)
        return -1;
    *out = *out && record_parse(&ours, s->child->arena, RECORD_PATH, text.bytes, &ignored) == 0 &&
           strcmp(ours.tree, theirs.tree) == 0 && strcmp(ours.inputs, theirs.inputs) == 0;
    return 0;
}

/* Whether `commit` holds what the run staged. */
static int was_committed(bool *out, const struct stopped_update *s, const struct oid *commit,
                         struct err *err)
{
    const struct path_change *change = telling_change(s);
    struct commit read;
    struct tree_entry there;
    *out = false;
    if (!change || oid_equal(commit, &s->journal->branch_new))
        return 0;
    if (strcmp(change->path, repo_path(&s->child->repo, RECORD_PATH)) == 0)
        return has_record(out, s, &change->stages[0], commit, err);
    if (repo_commit(&read, s->child->arena, s->child->repo.store, commit, err) < 0 ||
        tree_find(&there, s->child->repo.store, &read.tree, change->path, err) < 0)
        return -1;
    *out = tree_entry_equal(&there, &change->stages[0]);
    return 0;
}

int stopped_update_find_commit(struct oid *commit, bool *found, const struct stopped_update *s,
                               struct err *err)
{
    bool there;
    *commit = s->child->repo.head;
    *found = false;
    if (!s->child->repo.unborn && was_committed(found, s, commit, err) < 0)
        return -1;
    if (*found)
        return 0;
    if (ref_read(commit, &there, &s->child->repo, s->journal->branch, err) < 0)
        return -1;
    return there ? was_committed(found, s, commit, err) : 0;
}

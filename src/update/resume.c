/* What was begun is brought to an end: after an interruption, a conflict, a staged result. */
#include "update/resume.h"

#include "apply/apply.h"
#include "base/arena.h"
#include "base/data.h"
#include "base/io.h"
#include "base/limits.h"
#include "git/commit.h"
#include "git/index.h"
#include "git/store.h"
#include "git/tree.h"
#include "update/report.h"
#include "update/session.h"
#include "update/stale.h"
#include "update/update.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 10 };

static const char *hex_of(struct arena *arena, const struct oid *id)
{
    char hex[41];
    oid_hex(hex, id);
    return arena_strdup(arena, hex);
}

static void recall(struct update_outcome *out, struct session *s, const char *result,
                   const char *commit)
{
    out->document = report_recall(s->arena, s->journal.report, result, commit);
}

static void note_kept(struct update_outcome *out, struct session *s, const struct apply *apply)
{
    const char *const *kept;
    size_t count = apply_kept(&kept, apply);
    for (size_t i = 0; i < count; i++)
        report_warn(s->arena, out->document,
                    arena_printf(s->arena, "what you changed meanwhile is kept: %s", kept[i]));
}

int resume_forward(struct update_outcome *out, struct session *s, struct apply *apply,
                   struct err *err)
{
    const struct journal *j = &s->journal;
    bool commits = j->kind == JOURNAL_UPDATE || j->kind == JOURNAL_COMMIT;
    if (apply_forward(apply, &s->journal, err) < 0)
        return -1;
    recall(out, s,
           commits                       ? RESULT_UPDATED
           : j->kind == JOURNAL_CONFLICT ? RESULT_CONFLICTS
                                         : RESULT_STAGED,
           commits ? hex_of(s->arena, &j->branch_new) : NULL);
    report_warn(s->arena, out->document, "an update that was interrupted has been finished");
    note_kept(out, s, apply);
    return j->kind == JOURNAL_CONFLICT ? TG_CONFLICTS : TG_OK;
}

/* ---------------------------------------------------------------- --continue */

struct finishing {
    struct update_outcome *out;
    struct session s;
    struct arena *arena;
    struct apply *apply;
    struct err *err;
};

static int unresolved(struct finishing *f, const char *paths)
{
    recall(f->out, &f->s, RESULT_CONFLICTS, NULL);
    report_warn(f->arena, f->out->document, arena_printf(f->arena, "still unresolved: %s", paths));
    return TG_CONFLICTS;
}

static bool has_markers(struct span text)
{
    static const char *const markers[] = {"<<<<<<< your project", ">>>>>>> template "};
    for (const char *at = text.ptr, *end = text.ptr + text.len; at < end;) {
        for (size_t i = 0; i < sizeof(markers) / sizeof(*markers); i++) {
            size_t len = strlen(markers[i]);
            if ((size_t)(end - at) >= len && memcmp(at, markers[i], len) == 0)
                return true;
        }
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return false;
}

/* What is staged for a path that was in conflict must not be what the update wrote there. */
static int still_marked(bool *out, const struct finishing *f, const char *path)
{
    STORE_BYTES_SCRATCH(staged);
    struct index_item item;
    bool found;
    *out = false;
    index_find(&item, &found, f->s.index, path);
    if (!found || !leaf_is_file(&item.leaf))
        return 0;
    if (store_get(&staged, f->s.repo.store, STORE_BLOB, &item.leaf.id, path, f->err) < 0)
        return -1;
    *out = has_markers(staged.bytes);
    return 0;
}

static void add_shown(struct finishing *f, const char **list, size_t *count, const char *path)
{
    if ((*count)++ < SHOWN)
        *list = arena_printf(f->arena, "%s%s'%s'", *list, **list ? ", " : "", path);
}

/* Paths in the index with conflicts, and resolved ones that still hold markers. */
static int find_unresolved(const char **list, struct finishing *f)
{
    size_t count = 0;
    const char *last = "";
    *list = "";
    for (size_t i = 0; i < index_count(f->s.index); i++) {
        struct index_item item;
        index_item(&item, f->s.index, i);
        if (item.stage && strcmp(item.path, last) != 0)
            add_shown(f, list, &count, last = item.path);
    }
    for (size_t i = 0; count == 0 && i < f->s.journal.change_count; i++) {
        const struct change *change = &f->s.journal.changes[i];
        bool marked = false;
        if (change_conflicts(change) && still_marked(&marked, f, change->path) < 0)
            return -1;
        if (marked)
            add_shown(f, list, &count, change->path);
    }
    return 0;
}

/* The tree of the index: HEAD's with what differs. */
static int index_tree(struct oid *out, struct finishing *f)
{
    const char **paths;
    size_t count, kept = 0;
    index_differences(&paths, &count, f->arena, f->s.index, &f->s.head);
    struct tree_edit *edits = arena_array(f->arena, count + 1, sizeof(*edits));
    for (size_t i = 0; i < count; i++) {
        struct index_item item;
        bool found;
        index_find(&item, &found, f->s.index, paths[i]);
        if (found && item.intent_to_add)
            continue;
        edits[kept++] = (struct tree_edit){paths[i], found ? item.leaf : (struct leaf){0}};
    }
    return tree_edit(out, f->s.repo.store, f->s.repo.store, &f->s.repo.tree, edits, kept, f->err);
}

/* MERGE_MSG as the user left it, less its comments. */
static const char *read_message(struct finishing *f)
{
    ERR_SCRATCH(ignored);
    struct span text;
    const char *message = "";
    char mark = repo_comment_char(&f->s.repo);
    if (io_read_file(&text, f->arena, f->s.repo.git_fd, "MERGE_MSG", LIMIT_DOCUMENT_BYTES,
                     &ignored) < 0)
        text = span_from(f->s.journal.message ? f->s.journal.message : "Update\n");
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        if (*text.ptr != mark)
            message = arena_printf(f->arena, "%s%.*s\n", message, (int)len, text.ptr);
        text = span_of(text.ptr + len + (end != NULL), text.len - len - (end != NULL));
    }
    size_t len = strlen(message);
    while (len > 1 && message[len - 1] == '\n' && message[len - 2] == '\n')
        len--;
    return arena_memdup(f->arena, message, len);
}

/* As git does it: who began the update stays its author. */
static int keep_author(struct identity *who, struct finishing *f)
{
    STORE_BYTES_SCRATCH(pick);
    static const struct oid zero;
    const struct oid *id = &f->s.journal.brought;
    if (oid_equal(id, &zero) || !store_has(f->s.repo.store, id))
        return 0;
    if (store_get(&pick, f->s.repo.store, STORE_COMMIT, id, "the update's commit", f->err) < 0)
        return -1;
    const char *text = arena_memdup(f->arena, pick.bytes.ptr, pick.bytes.len);
    const char *author = strstr(text, "\nauthor ");
    if (author) {
        author += strlen("\nauthor ");
        who->author = arena_memdup(f->arena, author, strcspn(author, "\n"));
    }
    return 0;
}

static int commit_index(struct finishing *f)
{
    const struct journal *stopped = &f->s.journal;
    struct oid tree, commit;
    struct identity who;
    char *sum = arena_alloc(f->arena, 41);
    if (index_tree(&tree, f) < 0 ||
        identity_read(&who, f->s.repo.arena, f->s.repo.git, f->err) < 0 ||
        keep_author(&who, f) < 0 ||
        commit_put(&commit, f->s.repo.store, &tree, &f->s.repo.head, 1, &who, read_message(f),
                   f->err) < 0 ||
        index_checksum(sum, arena_printf(f->arena, "%sindex", f->s.repo.git_dir), f->err) < 0)
        return -1;
    struct journal j = {.kind = JOURNAL_COMMIT,
                        .head_old = f->s.repo.head_text,
                        .head_new = f->s.repo.head_text,
                        .branch = f->s.repo.branch,
                        .branch_old = f->s.repo.head,
                        .branch_new = commit,
                        .pseudoref = stopped->pseudoref,
                        .brought = stopped->brought,
                        .reflog_who = who.committer,
                        .reflog_what = stopped->reflog_what,
                        .index_old = sum,
                        .report = stopped->report};
    if (apply_run(f->apply, &j, f->err) < 0 || apply_forget(f->apply, stopped, f->err) < 0)
        return -1;
    recall(f->out, &f->s, RESULT_UPDATED, hex_of(f->arena, &commit));
    note_kept(f->out, &f->s, f->apply);
    return TG_OK;
}

static int nothing_waits(struct finishing *f, const char *what)
{
    apply_tidy(f->apply);
    (void)err_set(f->err, TG_REFUSED, "nothing-in-progress", "there is no update to %s here", what);
    return err_hint(f->err, "'tmplgen status' says how things are");
}

/* By git's own means: the user has committed it, and nothing is left to do, or has given it up. */
static int end_stale(struct finishing *f)
{
    struct oid commit;
    bool found;
    if (stale_find_commit(&commit, &found, &f->s, f->err) < 0)
        return -1;
    if (found) {
        recall(f->out, &f->s, RESULT_UP_TO_DATE, hex_of(f->arena, &commit));
        return apply_forget(f->apply, &f->s.journal, f->err) < 0 ? -1 : TG_OK;
    }
    /* The journal stays: what is in a stash may come back. */
    (void)err_set(f->err, TG_REFUSED, "nothing-in-progress",
                  "the update was given up by other means; nothing of it is committed");
    return err_hint(f->err, "'tmplgen update' starts again");
}

static int finish_stopped(struct finishing *f)
{
    const char *list;
    if (session_read(&f->s, f->err) < 0 || find_unresolved(&list, f) < 0)
        return -1;
    return *list ? unresolved(f, list) : commit_index(f);
}

static int continue_run(struct finishing *f)
{
    if (f->s.state == APPLY_FORWARD) {
        bool was_commit = f->s.journal.kind == JOURNAL_COMMIT;
        int code = resume_forward(f->out, &f->s, f->apply, f->err);
        if (code < 0 || !was_commit)
            return code;
        /* The stopped run that it committed is over, too. */
        if (repo_read_head(&f->s.repo, f->err) < 0 ||
            apply_look(&f->s.state, &f->s.journal, f->arena, &f->s.repo, f->err) < 0 ||
            (f->s.state == APPLY_STALE && apply_forget(f->apply, &f->s.journal, f->err) < 0))
            return -1;
        return code;
    }
    if (f->s.state == APPLY_BACKWARD) {
        (void)err_set(f->err, TG_REFUSED, "update-interrupted",
                      "an abort was interrupted: there is no way forward");
        return err_hint(f->err, "'tmplgen update --abort' finishes it");
    }
    if (f->s.state == APPLY_STALE)
        return end_stale(f);
    return f->s.state == APPLY_STOPPED ? finish_stopped(f) : nothing_waits(f, "continue");
}

static int abort_once(struct finishing *f)
{
    if (f->s.state == APPLY_STALE) {
        (void)err_set(f->err, TG_REFUSED, "nothing-in-progress",
                      "the update was ended by other means: there is nothing to go back from");
        return err_hint(f->err, "'git log' shows the branch; it is left as it is");
    }
    return apply_backward(f->apply, &f->s.journal, f->err);
}

/* A commit of a stopped run may itself have been interrupted: then two steps lead back. */
static int abort_run(struct finishing *f)
{
    if (f->s.state == APPLY_NONE)
        return nothing_waits(f, "abort");
    struct session first = f->s;
    do {
        if (abort_once(f) < 0 || repo_read_head(&f->s.repo, f->err) < 0 ||
            apply_look(&f->s.state, &f->s.journal, f->arena, &f->s.repo, f->err) < 0)
            return -1;
    } while (f->s.state != APPLY_NONE && f->s.state != APPLY_STALE);
    recall(f->out, &first, RESULT_ABORTED, NULL);
    note_kept(f->out, &first, f->apply);
    return TG_OK;
}

static int finish(struct update_outcome *out, struct arena *arena, const char *path,
                  int (*run)(struct finishing *), struct err *err)
{
    struct finishing f = {.out = out, .arena = arena, .err = err};
    *out = (struct update_outcome){NULL, NULL};
    int rc = session_open(&f.s, arena, path, err);
    if (rc == 0)
        rc = apply_open(&f.apply, arena, &f.s.repo, err);
    if (rc == 0) /* again, now that nobody else is at it */
        rc = apply_look(&f.s.state, &f.s.journal, arena, &f.s.repo, err);
    if (rc == 0)
        rc = run(&f);
    apply_close(f.apply);
    session_close(&f.s);
    return rc;
}

int update_continue(struct update_outcome *out, struct arena *arena, const char *path,
                    struct err *err)
{
    return finish(out, arena, path, continue_run, err);
}

int update_abort(struct update_outcome *out, struct arena *arena, const char *path, struct err *err)
{
    return finish(out, arena, path, abort_run, err);
}

/* One run of update, status or diff: the child, its record, its trees. */
#include "update/session.h"

#include "base/arena.h"
#include "base/str.h"
#include "git/index.h"
#include "git/tree.h"

#include <git2.h>
#include <string.h>

enum { FOLDERS_A_FILE = 16 }; /* more than any tree has that its index agrees with */

static int no_record(const struct session *s, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "no-record", "'%s' is no project of a template: it has no %s",
                  s->repo.start, RECORD_PATH);
    return err_hint(err, "'tmplgen adopt' puts an existing project under a template");
}

int session_open(struct session *s, struct arena *arena, const char *path, struct err *err)
{
    *s = (struct session){.arena = arena};
    if (repo_open(&s->repo, arena, path, RECORD_PATH, err) < 0)
        return -1;
    if (!s->repo.prefix)
        return no_record(s, err);
    return apply_look(&s->state, &s->journal, arena, &s->repo, err);
}

void session_mark_nested(struct plan_file *files, size_t count, struct arena *arena)
{
    const struct plan_list list = {files, count};
    for (size_t i = 0; i < count; i++) {
        if (files[i].nested || !str_ends(files[i].path, "/" RECORD_PATH))
            continue;
        size_t len = strlen(files[i].path) - strlen(RECORD_PATH);
        const char *folder = arena_memdup(arena, files[i].path, len);
        for (size_t at = plan_list_lower_bound(&list, folder);
             at < count && str_starts(files[at].path, folder); at++)
            files[at].nested = true;
    }
}

/* The slice below the child's folder, less the record, by paths from that folder. */
static void cut_child(struct session *s)
{
    size_t skip = strlen(s->repo.prefix), count = 0;
    struct plan_file *files = arena_array(s->arena, s->head.count + 1, sizeof(*files));
    for (size_t at = 0; at < s->head.count; at++) {
        const struct tree_file *file = &s->head.files[at];
        if (str_starts(file->path, s->repo.prefix) && strcmp(file->path + skip, RECORD_PATH) != 0)
            files[count++] = (struct plan_file){.path = file->path + skip, .leaf = file->leaf};
    }
    session_mark_nested(files, count, s->arena);
    s->child = (struct plan_list){files, count};
}

int session_read(struct session *s, struct err *err)
{
    if (index_open(&s->index, arena_printf(s->arena, "%sindex", s->repo.git_dir), err) < 0)
        return -1;
    size_t max = TREE_ENTRIES + FOLDERS_A_FILE * index_count(s->index);
    if (!s->repo.unborn &&
        tree_list(&s->head, s->arena, s->repo.store, &s->repo.tree, max, err) < 0)
        return -1;
    cut_child(s);
    return 0;
}

/* A remote that promises objects. (By hand: libgit2 1.5 leaks when a regular expression fails.) */
static bool is_partial(const struct repo *repo)
{
    git_config_iterator *iterator = NULL;
    git_config_entry *entry;
    bool partial = false;
    if (git_config_iterator_new(&iterator, repo->config) < 0)
        return false;
    while (!partial && git_config_next(&entry, iterator) == 0)
        partial = str_starts(entry->name, "remote.") && str_ends(entry->name, ".promisor");
    git_config_iterator_free(iterator);
    return partial;
}

int session_explain(const struct session *s, struct err *err)
{
    if (!s->repo.config || !err->message || strcmp(err->code, "git") != 0 ||
        !strstr(err->message, "object not found") || !is_partial(&s->repo))
        return -1;
    const char *message = arena_strdup(s->arena, err->message);
    (void)err_set(err, TG_REFUSED, "missing-objects",
                  "this is a partial clone, and an object that the update needs is not here (%s)",
                  message);
    return err_hint(err, "'git fetch --refetch --no-filter' fetches everything");
}

void session_close(struct session *s)
{
    target_close(&s->target);
    index_free(s->index);
    repo_close(&s->repo);
}

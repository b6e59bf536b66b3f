/* Walks history backwards, from one commit to its ancestors. */
#include "git/history.h"

#include "base/arena.h"
#include "git/oid_map.h"
#include "git/repo.h"
#include "git/store.h"

#include <string.h>

/* Commits in the order in which they were found; those from `head` on are not visited yet. */
struct walk {
    struct arena arena;
    struct oid *queue;
    size_t head, count;
    struct oid_map seen;
};

static void add(struct walk *w, const struct oid *id)
{
    if (!oid_map_add(&w->seen, id, w->count))
        return;
    arena_push(&w->arena, w->queue, w->count) = *id;
}

static int add_parents(struct walk *w, const struct repo *repo, const struct oid *id,
                       struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct commit commit;
    if (repo_commit(&commit, &scratch, repo->store, id, err) < 0)
        return -1;
    for (size_t i = 0; i < commit.parent_count; i++)
        if (store_has(repo->store, &commit.parents[i]))
            add(w, &commit.parents[i]);
    return 0;
}

int history_walk(const struct repo *repo, const struct oid *from, history_visitor *visit,
                 void *context, struct err *err)
{
    struct walk w = {.arena = ARENA_INIT};
    bool stop = false;
    int rc = 0;
    add(&w, from);
    while (rc == 0 && !stop && w.head < w.count) {
        struct oid id = w.queue[w.head++];
        rc = visit(&stop, context, &id);
        if (rc == 0 && !stop)
            rc = add_parents(&w, repo, &id, err);
    }
    oid_map_release(&w.seen);
    arena_release(&w.arena);
    return rc;
}

struct sought_commit {
    const struct oid *id;
    bool found;
};

static int compare(bool *stop, void *context, const struct oid *commit)
{
    struct sought_commit *sought = context;
    *stop = sought->found = oid_equal(commit, sought->id);
    return 0;
}

int history_reaches(bool *out, const struct repo *repo, const struct oid *from,
                    const struct oid *wanted, struct err *err)
{
    struct sought_commit sought = {.id = wanted};
    int rc = history_walk(repo, from, compare, &sought, err);
    *out = sought.found;
    return rc;
}

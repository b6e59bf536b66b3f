/* Commits from one backwards, newest first. */
#include "git/history.h"

#include "base/arena.h"
#include "git/repo.h"
#include "git/store.h"

#include <string.h>

/* All commits found so far, in the order of finding; those from `head` on are to be visited. */
struct walk {
    struct arena arena;
    struct oid *queue;
    size_t head, count;
    size_t *slots; /* index in queue + 1; open addressing, at most half full */
    size_t slot_count;
};

static size_t *slot_of(const struct walk *w, const struct oid *id)
{
    size_t at;
    memcpy(&at, id->id, sizeof(at));
    for (at &= w->slot_count - 1; w->slots[at]; at = (at + 1) & (w->slot_count - 1))
        if (oid_equal(&w->queue[w->slots[at] - 1], id))
            break;
    return &w->slots[at];
}

static void grow_slots(struct walk *w)
{
    w->slot_count = w->slot_count ? w->slot_count * 2 : 512;
    w->slots = arena_array(&w->arena, w->slot_count, sizeof(*w->slots));
    for (size_t i = 0; i < w->count; i++)
        *slot_of(w, &w->queue[i]) = i + 1;
}

static void add(struct walk *w, const struct oid *id)
{
    if (w->count * 2 == w->slot_count)
        grow_slots(w);
    size_t *slot = slot_of(w, id);
    if (*slot)
        return;
    w->queue = arena_grow(&w->arena, w->queue, w->count, sizeof(*w->queue));
    w->queue[w->count++] = *id;
    *slot = w->count;
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

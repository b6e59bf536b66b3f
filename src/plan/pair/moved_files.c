/* Finds files of the base that the child moved, by their content. */
#include "plan/pair/moved_files.h"

#include "base/arena.h"
#include "git/store.h"
#include "plan/similarity.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* A line in two files weakens a match by similarity; in three, a match by content, too. */
enum sharers { TWO, MANY };
static const size_t sharers_least[] = {[TWO] = 2, [MANY] = 3};

/* A file that the child may have renamed: of the base, or of the child. */
struct moved {
    size_t index; /* in its list */
    struct tree_entry entry;
    size_t size;
    size_t match;   /* the other side's candidate, or NONE */
    size_t matches; /* how many it has */
    bool has_bag;
    struct bag bag;
};

struct moved_list {
    struct moved *items;
    size_t count;
};

/* The ids of a tree's files, sorted. */
struct ids {
    struct oid *items;
    size_t count;
};

struct move_search {
    struct child_moves *out;
    struct arena *arena;
    struct arena *scratch;
    struct store *store;
    const struct plan_input *input;
    struct moved_list gone, new;
    bool has_shared;
    struct shared_pieces shared[MANY + 1]; /* of two files of base or render, and of many */
    struct ids ids[SIDES];                 /* made with `shared` */
    struct err *err;
};

/* Lists the chosen files of a side. Leaves out a file that is known to be too small. */
static void list_moved(struct moved_list *out, const struct move_search *s, enum side side,
                       const bool *chosen)
{
    const struct plan_list *list = &s->input->side[side];
    out->items = arena_array(s->arena, list->count + 1, sizeof(*out->items));
    for (size_t i = 0; i < list->count; i++) {
        const struct plan_file *file = &list->files[i];
        if (chosen[i] && tree_entry_is_file(&file->entry) &&
            (!file->bytes.ptr || file->bytes.len >= CONTENT_MIN))
            out->items[out->count++] = (struct moved){
                .index = i, .entry = file->entry, .size = file->bytes.ptr ? file->bytes.len : NONE};
    }
}

static int measure(struct moved *candidate, const struct move_search *s, enum side side)
{
    const struct plan_file *file = &s->input->side[side].files[candidate->index];
    if (candidate->size != NONE)
        return 0;
    return store_size(&candidate->size, s->store, &file->entry.id, file->path, s->err);
}

/* Measures all files, and leaves out those that are too small. */
static int measure_all(struct moved_list *list, const struct move_search *s, enum side side)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (measure(&list->items[i], s, side) < 0)
            return -1;
        if (list->items[i].size >= CONTENT_MIN)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    return 0;
}

static int by_oid(const void *a, const void *b)
{
    return memcmp(((const struct oid *)a)->id, ((const struct oid *)b)->id, sizeof(struct oid));
}

static int by_id(const void *a, const void *b)
{
    return by_oid(&((const struct moved *)a)->entry.id, &((const struct moved *)b)->entry.id);
}

static int fill_bag(struct moved *candidate, const struct move_search *s, enum side side)
{
    const struct plan_file *file = &s->input->side[side].files[candidate->index];
    STORE_BYTES_SCRATCH(loaded);
    if (candidate->has_bag)
        return 0;
    if (!file->bytes.ptr &&
        store_get(&loaded, s->store, STORE_BLOB, &file->entry.id, file->path, s->err) < 0)
        return -1;
    bag_make(&candidate->bag, s->scratch, file->bytes.ptr ? file->bytes : loaded.bytes);
    candidate->has_bag = true;
    return 0;
}

/* Leaves out files of nested children, which may have the same template. */
static void list_ids(struct ids *out, struct arena *arena, const struct plan_list *list)
{
    out->items = arena_array(arena, list->count + 1, sizeof(*out->items));
    for (size_t i = 0; i < list->count; i++)
        if (!list->files[i].nested)
            out->items[out->count++] = list->files[i].entry.id;
    qsort(out->items, out->count, sizeof(*out->items), by_oid);
}

/* Skips files that cannot be read: perhaps nothing needs them. */
static void add_shared(struct move_search *s, const struct plan_list *list)
{
    struct bag *bags = arena_array(s->scratch, list->count + 1, sizeof(*bags));
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        STORE_BYTES_SCRATCH(loaded);
        ERR_SCRATCH(ignored);
        const struct plan_file *file = &list->files[i];
        if (!tree_entry_is_file(&file->entry))
            continue;
        if (!file->bytes.ptr &&
            (!store_has(s->store, &file->entry.id) ||
             store_get(&loaded, s->store, STORE_BLOB, &file->entry.id, file->path, &ignored) < 0))
            continue;
        bag_make(&bags[count++], s->scratch, file->bytes.ptr ? file->bytes : loaded.bytes);
    }
    for (enum sharers i = TWO; i <= MANY; i++)
        shared_pieces_add(&s->shared[i], s->scratch, bags, count, sharers_least[i]);
}

/* Adds pieces that several files of the child share; only files that were read count. */
static void add_shared_of_child(struct move_search *s)
{
    struct bag *bags = arena_array(s->scratch, s->new.count + 1, sizeof(*bags));
    size_t count = 0;
    for (size_t i = 0; i < s->new.count; i++)
        if (s->new.items[i].has_bag)
            bags[count++] = s->new.items[i].bag;
    shared_pieces_add(&s->shared[TWO], s->scratch, bags, count, sharers_least[TWO]);
    shared_pieces_sort(&s->shared[TWO]);
}

/* Runs when the first pair asks for it: most updates have none. */
static void find_shared(struct move_search *s)
{
    if (s->has_shared)
        return;
    s->has_shared = true;
    for (int side = BASE; side < SIDES; side++)
        list_ids(&s->ids[side], s->scratch, &s->input->side[side]);
    add_shared(s, &s->input->side[BASE]);
    add_shared(s, &s->input->side[RENDER]);
    for (enum sharers i = TWO; i <= MANY; i++)
        shared_pieces_sort(&s->shared[i]);
}

static bool is_shared(const struct ids *ids, const struct oid *id)
{
    const struct oid *found =
        ids->count ? bsearch(id, ids->items, ids->count, sizeof(*ids->items), by_oid) : NULL;
    return found && ((found > ids->items && oid_equal(found - 1, id)) ||
                     (found + 1 < ids->items + ids->count && oid_equal(found + 1, id)));
}

static bool is_proven(const struct move_search *s, const struct moved *old, const struct moved *new)
{
    for (int side = BASE; side < SIDES; side++)
        if (is_shared(&s->ids[side], &old->entry.id) || is_shared(&s->ids[side], &new->entry.id))
            return false;
    bool identical = oid_equal(&old->entry.id, &new->entry.id);
    return bag_proves(&old->bag, &new->bag, &s->shared[identical ? MANY : TWO]);
}

static void join(const struct move_search *s, const struct moved *old, const struct moved *new)
{
    s->out->child_of[old->index] = new->index;
    s->out->looks_like[old->index] = NULL;
}

static int match_identical(struct move_search *s, struct moved *old, struct moved *new)
{
    if (measure(old, s, BASE) < 0)
        return -1;
    if (old->size < CONTENT_MIN)
        return 0;
    if (fill_bag(old, s, BASE) < 0)
        return -1;
    find_shared(s);
    new->bag = old->bag;
    new->has_bag = true;
    if (is_proven(s, old, new)) {
        join(s, old, new);
        old->match = new->match = 0;
    }
    return 0;
}

/* Keeps the files without a match. */
static void drop_paired(struct moved_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].match == NONE)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* Pairs files with the same id. Both lists are sorted by id. */
static int pair_identical(struct move_search *s)
{
    for (size_t i = 0, j = 0; i < s->gone.count && j < s->new.count;) {
        int order = by_id(&s->gone.items[i], &s->new.items[j]);
        if (order == 0 && match_identical(s, &s->gone.items[i], &s->new.items[j]) < 0)
            return -1;
        i += order <= 0;
        j += order >= 0;
    }
    drop_paired(&s->gone);
    drop_paired(&s->new);
    return 0;
}

/* Two files that look alike, proven or not. */
struct likeness {
    size_t old, new;
};

struct likenesses {
    struct likeness *items;
    size_t count;
};

static int compare(struct likenesses *out, struct move_search *s, size_t old_at, size_t new_at)
{
    struct moved *old = &s->gone.items[old_at], *new = &s->new.items[new_at];
    if (!sizes_similar(old->size, new->size))
        return 0;
    if (fill_bag(old, s, BASE) < 0 || fill_bag(new, s, CHILD) < 0)
        return -1;
    if (!bag_similar(&old->bag, &new->bag))
        return 0;
    arena_push(s->scratch, out->items, out->count) = (struct likeness){old_at, new_at};
    return 0;
}

static void tell_likeness(const struct move_search *s, const struct moved *old,
                          const struct moved *new)
{
    const char **told = &s->out->looks_like[old->index];
    if (!*told)
        *told = s->input->side[CHILD].files[new->index].path;
}

static void match_similar(struct move_search *s, const struct likenesses *alike)
{
    find_shared(s);
    add_shared_of_child(s);
    for (size_t i = 0; i < alike->count; i++) {
        struct moved *old = &s->gone.items[alike->items[i].old];
        struct moved *new = &s->new.items[alike->items[i].new];
        tell_likeness(s, old, new);
        if (!is_proven(s, old, new))
            continue;
        old->match = alike->items[i].new;
        new->match = alike->items[i].old;
        old->matches++;
        new->matches++;
    }
    for (size_t i = 0; i < s->gone.count; i++) {
        const struct moved *old = &s->gone.items[i];
        if (old->matches == 1 && s->new.items[old->match].matches == 1)
            join(s, old, &s->new.items[old->match]);
    }
}

static int pair_similar(struct move_search *s)
{
    struct likenesses alike = {0};
    if (s->gone.count == 0 || s->new.count == 0)
        return 0;
    if (measure_all(&s->gone, s, BASE) < 0 || measure_all(&s->new, s, CHILD) < 0)
        return -1;
    for (size_t i = 0; i < s->gone.count; i++)
        for (size_t j = 0; j < s->new.count; j++)
            if (compare(&alike, s, i, j) < 0)
                return -1;
    if (alike.count)
        match_similar(s, &alike);
    return 0;
}

static void begin(struct move_search *s, const bool *gone, const bool *own)
{
    size_t count = s->input->side[BASE].count;
    s->out->looks_like = arena_array(s->arena, count + 1, sizeof(*s->out->looks_like));
    s->out->child_of = arena_array(s->arena, count + 1, sizeof(*s->out->child_of));
    for (size_t i = 0; i < count; i++)
        s->out->child_of[i] = NONE;
    list_moved(&s->gone, s, BASE, gone);
    if (s->gone.count)
        list_moved(&s->new, s, CHILD, own);
    for (size_t i = 0; i < s->gone.count; i++)
        s->gone.items[i].match = NONE;
    for (size_t i = 0; i < s->new.count; i++)
        s->new.items[i].match = NONE;
}

int moved_files_find(struct child_moves *out, struct arena *arena, struct store *store,
                     const struct plan_input *input, const bool *gone, const bool *own,
                     struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct move_search s = {.out = out,
                            .arena = arena,
                            .scratch = &scratch,
                            .store = store,
                            .input = input,
                            .err = err};
    *out = (struct child_moves){0};
    begin(&s, gone, own);
    if (s.gone.count == 0 || s.new.count == 0)
        return 0;
    qsort(s.gone.items, s.gone.count, sizeof(*s.gone.items), by_id);
    qsort(s.new.items, s.new.count, sizeof(*s.new.items), by_id);
    return pair_identical(&s) < 0 ? -1 : pair_similar(&s);
}

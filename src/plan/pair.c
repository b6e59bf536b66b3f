/* Which file of the base, of the child and of the new render are one and the same. */
#include "plan/pair.h"

#include "base/arena.h"
#include "git/store.h"
#include "plan/similar.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONTENT_MIN = 64 }; /* bytes that a file needs to be known by its content */

#define NONE SIZE_MAX

struct pairing {
    struct arena *arena;
    struct store *store;
    const struct plan_input *input;
    const bool *fixed;
    size_t *render_of, *child_of; /* per base file, or NONE */
    size_t *base_of_render;       /* per render file, or NONE */
    bool *child_taken;            /* per child file */
    struct err *err;
};

/* A file that may have been renamed by the child: where it was, or where it went. */
struct moved {
    size_t index; /* in its list */
    struct leaf leaf;
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

static size_t index_of(const struct plan_list *list, const char *path)
{
    const struct plan_file *file = plan_list_find(list, path);
    return file ? (size_t)(file - list->files) : NONE;
}

static bool may_follow(const struct pairing *p, size_t base)
{
    return !p->fixed || !p->fixed[base];
}

static void join_render(struct pairing *p, size_t base, size_t render)
{
    if (base == NONE || render == NONE || p->render_of[base] != NONE ||
        p->base_of_render[render] != NONE)
        return;
    p->render_of[base] = render;
    p->base_of_render[render] = base;
}

/* The template still has a file of the old name, and not because another one took that name. */
static bool is_contradicted(const struct pairing *p, const char *old)
{
    if (index_of(&p->input->side[RENDER], old) == NONE)
        return false;
    for (size_t i = 0; i < p->input->rename_count; i++)
        if (strcmp(p->input->rename_new[i], old) == 0)
            return false;
    return true;
}

static void pair_declared(struct pairing *p)
{
    for (size_t i = 0; i < p->input->rename_count; i++) {
        const char *old = p->input->rename_old[i];
        size_t base = index_of(&p->input->side[BASE], old);
        if (base != NONE && may_follow(p, base) && !is_contradicted(p, old))
            join_render(p, base, index_of(&p->input->side[RENDER], p->input->rename_new[i]));
    }
}

/* The length of a `{{ 'NAME' if ... }}` that `text` begins with, and its NAME; else 0. */
static size_t conditional_name(struct span *name, const char *text)
{
    if (!str_starts(text, "{{ '") && !str_starts(text, "{{ \""))
        return 0;
    const char *start = text + 4, *end = strchr(start, text[3]);
    if (!end || !str_starts(end + 1, " if "))
        return 0;
    *name = span_of(start, (size_t)(end - start));
    const char *closed = strstr(end, "}}"), *otherwise = strstr(end, " else ");
    return closed && (!otherwise || closed < otherwise) ? (size_t)(closed + 2 - text) : 0;
}

/*
 * A source without the conditions in its names: a template that says `when` instead, from one
 * version to the next, still has the same files.
 */
static const char *plain_source(struct arena *arena, const char *source)
{
    struct span name;
    char *plain = arena_strdup(arena, source), *to = plain;
    while (*source) {
        size_t len = conditional_name(&name, source);
        if (len == 0)
            name = span_of(source, len = 1);
        memcpy(to, name.ptr, name.len);
        to += name.len;
        source += len;
    }
    *to = '\0';
    return plain;
}

/* A file of a render under the name of its source. */
struct sourced {
    const char *source;
    size_t index; /* in its list */
};

static int by_source(const void *a, const void *b)
{
    const struct sourced *left = a, *right = b;
    int order = strcmp(left->source, right->source);
    return order ? order : left->index < right->index ? -1 : left->index > right->index;
}

/* The files of a render that have a source, by source. */
static struct sourced *sort_by_source(size_t *count, struct arena *arena,
                                      const struct plan_list *list)
{
    struct sourced *sorted = arena_array(arena, list->count + 1, sizeof(*sorted));
    *count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->files[i].source && *list->files[i].source)
            sorted[(*count)++] = (struct sourced){plain_source(arena, list->files[i].source), i};
    if (*count)
        qsort(sorted, *count, sizeof(*sorted), by_source);
    return sorted;
}

static void pair_by_source(struct pairing *p)
{
    const struct plan_list *base = &p->input->side[BASE], *render = &p->input->side[RENDER];
    size_t base_count, render_count;
    if (!p->input->base_has_rules)
        return;
    const struct sourced *old = sort_by_source(&base_count, p->arena, base);
    const struct sourced *new = sort_by_source(&render_count, p->arena, render);
    for (size_t i = 0, j = 0; i < base_count && j < render_count;) {
        int order = strcmp(old[i].source, new[j].source);
        size_t from = old[i].index, to = new[j].index;
        if (order == 0 &&
            (may_follow(p, from) || strcmp(base->files[from].path, render->files[to].path) == 0))
            join_render(p, from, to);
        i += order <= 0;
        j += order >= 0;
    }
}

static void pair_by_path(struct pairing *p)
{
    const struct plan_list *base = &p->input->side[BASE], *child = &p->input->side[CHILD];
    for (size_t i = 0; i < base->count; i++) {
        const char *path = base->files[i].path;
        join_render(p, i, index_of(&p->input->side[RENDER], path));
        size_t at = index_of(child, path);
        if (at != NONE) {
            p->child_of[i] = at;
            p->child_taken[at] = true;
        }
    }
}

static void join_child(struct pairing *p, size_t base, size_t child)
{
    p->child_of[base] = child;
    p->child_taken[child] = true;
}

/* Gone from its old place, and the child has a file where the template moved it: that is it. */
static void pair_by_new_path(struct pairing *p)
{
    for (size_t i = 0; i < p->input->side[BASE].count; i++) {
        if (p->child_of[i] != NONE || p->render_of[i] == NONE || !may_follow(p, i))
            continue;
        const char *path = p->input->side[RENDER].files[p->render_of[i]].path;
        size_t at = index_of(&p->input->side[CHILD], path);
        if (at != NONE && !p->child_taken[at])
            join_child(p, i, at);
    }
}

/* Base files that are gone from the child and large enough to be found again. */
static void list_gone(struct moved_list *out, const struct pairing *p)
{
    const struct plan_list *base = &p->input->side[BASE];
    out->items = arena_array(p->arena, base->count + 1, sizeof(*out->items));
    for (size_t i = 0; i < base->count; i++) {
        const struct plan_file *file = &base->files[i];
        if (p->child_of[i] == NONE && may_follow(p, i) && leaf_is_file(&file->leaf) &&
            (!file->bytes.ptr || file->bytes.len >= CONTENT_MIN))
            out->items[out->count++] = (struct moved){
                .index = i, .leaf = file->leaf, .size = file->bytes.ptr ? file->bytes.len : NONE};
    }
}

/* What the template's files may have become: never the file of a child inside this one. */
static void list_new(struct moved_list *out, const struct pairing *p)
{
    const struct plan_list *child = &p->input->side[CHILD];
    out->items = arena_array(p->arena, child->count + 1, sizeof(*out->items));
    for (size_t i = 0; i < child->count; i++)
        if (!p->child_taken[i] && !child->files[i].nested && leaf_is_file(&child->files[i].leaf))
            out->items[out->count++] =
                (struct moved){.index = i, .leaf = child->files[i].leaf, .size = NONE};
}

static int measure(struct moved *candidate, const struct pairing *p, enum side side)
{
    const struct plan_file *file = &p->input->side[side].files[candidate->index];
    if (candidate->size != NONE)
        return 0;
    return store_size(&candidate->size, p->store, &file->leaf.id, file->path, p->err);
}

/* Sizes of all, then those that are too small are left out. */
static int measure_all(struct moved_list *list, const struct pairing *p, enum side side)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (measure(&list->items[i], p, side) < 0)
            return -1;
        if (list->items[i].size >= CONTENT_MIN)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    return memcmp(((const struct moved *)a)->leaf.id.id, ((const struct moved *)b)->leaf.id.id,
                  sizeof(struct oid));
}

static bool alone(const struct moved_list *list, size_t at)
{
    const struct oid *id = &list->items[at].leaf.id;
    return (at == 0 || !oid_equal(&list->items[at - 1].leaf.id, id)) &&
           (at + 1 == list->count || !oid_equal(&list->items[at + 1].leaf.id, id));
}

/* Both lists sorted by id; what is alone with its content on both sides is the same file. */
static int pair_identical(struct pairing *p, struct moved_list *gone, struct moved_list *new)
{
    for (size_t i = 0, j = 0; i < gone->count && j < new->count;) {
        int order = by_id(&gone->items[i], &new->items[j]);
        if (order == 0 && alone(gone, i) && alone(new, j)) {
            if (measure(&gone->items[i], p, BASE) < 0)
                return -1;
            if (gone->items[i].size >= CONTENT_MIN)
                join_child(p, gone->items[i].index, new->items[j].index);
        }
        i += order <= 0;
        j += order >= 0;
    }
    return 0;
}

static void drop_paired(struct moved_list *gone, struct moved_list *new, const struct pairing *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < gone->count; i++)
        if (p->child_of[gone->items[i].index] == NONE)
            gone->items[kept++] = gone->items[i];
    gone->count = kept;
    kept = 0;
    for (size_t i = 0; i < new->count; i++)
        if (!p->child_taken[new->items[i].index])
            new->items[kept++] = new->items[i];
    new->count = kept;
}

static int fill_bag(struct moved *candidate, struct arena *arena, const struct pairing *p,
                    enum side side)
{
    const struct plan_file *file = &p->input->side[side].files[candidate->index];
    STORE_BYTES_SCRATCH(loaded);
    if (candidate->has_bag)
        return 0;
    if (!file->bytes.ptr &&
        store_get(&loaded, p->store, STORE_BLOB, &file->leaf.id, file->path, p->err) < 0)
        return -1;
    bag_make(&candidate->bag, arena, file->bytes.ptr ? file->bytes : loaded.bytes);
    candidate->has_bag = true;
    return 0;
}

static int compare(struct moved *old, struct moved *new, size_t old_at, size_t new_at,
                   struct arena *arena, const struct pairing *p)
{
    if (!sizes_similar(old->size, new->size))
        return 0;
    if (fill_bag(old, arena, p, BASE) < 0 || fill_bag(new, arena, p, CHILD) < 0)
        return -1;
    if (!bag_similar(&old->bag, &new->bag))
        return 0;
    old->match = new_at;
    new->match = old_at;
    old->matches++;
    new->matches++;
    return 0;
}

static int pair_similar(struct pairing *p, struct moved_list *gone, struct moved_list *new)
{
    ARENA_SCRATCH(bags);
    if (gone->count == 0 || new->count == 0)
        return 0;
    if (measure_all(gone, p, BASE) < 0 || measure_all(new, p, CHILD) < 0)
        return -1;
    for (size_t i = 0; i < gone->count; i++)
        for (size_t j = 0; j < new->count; j++)
            if (compare(&gone->items[i], &new->items[j], i, j, &bags, p) < 0)
                return -1;
    for (size_t i = 0; i < gone->count; i++) {
        const struct moved *old = &gone->items[i];
        if (old->matches == 1 && new->items[old->match].matches == 1)
            join_child(p, old->index, new->items[old->match].index);
    }
    return 0;
}

static int pair_by_content(struct pairing *p)
{
    struct moved_list gone = {0}, new = {0};
    list_gone(&gone, p);
    if (gone.count == 0)
        return 0;
    list_new(&new, p);
    if (new.count == 0)
        return 0;
    qsort(gone.items, gone.count, sizeof(*gone.items), by_id);
    qsort(new.items, new.count, sizeof(*new.items), by_id);
    if (pair_identical(p, &gone, &new) < 0)
        return -1;
    drop_paired(&gone, &new, p);
    return pair_similar(p, &gone, &new);
}

static size_t *none_for(struct arena *arena, size_t count)
{
    size_t *list = arena_array(arena, count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] = NONE;
    return list;
}

static const struct plan_file *file_at(const struct plan_list *list, size_t index)
{
    return index == NONE ? NULL : &list->files[index];
}

/* A new file of the template meets the child's file of that name, unless that is another file. */
static const struct plan_file *child_by_name(const struct pairing *p, const char *path)
{
    size_t at = index_of(&p->input->side[CHILD], path);
    return at == NONE || p->child_taken[at] ? NULL : file_at(&p->input->side[CHILD], at);
}

static void make_units(struct unit **out, size_t *count, const struct pairing *p)
{
    const struct plan_list *base = &p->input->side[BASE], *render = &p->input->side[RENDER];
    struct unit *units = arena_array(p->arena, base->count + render->count + 1, sizeof(*units));
    *count = 0;
    for (size_t i = 0; i < base->count; i++)
        units[(*count)++] =
            (struct unit){{&base->files[i], file_at(&p->input->side[CHILD], p->child_of[i]),
                           file_at(render, p->render_of[i])}};
    for (size_t i = 0; i < render->count; i++)
        if (p->base_of_render[i] == NONE)
            units[(*count)++] =
                (struct unit){{NULL, child_by_name(p, render->files[i].path), &render->files[i]}};
    *out = units;
}

int pair_files(struct unit **out, size_t *count, struct arena *arena, struct store *store,
               const struct plan_input *input, const bool *fixed, struct err *err)
{
    struct pairing p = {.arena = arena,
                        .store = store,
                        .input = input,
                        .fixed = fixed,
                        .render_of = none_for(arena, input->side[BASE].count),
                        .child_of = none_for(arena, input->side[BASE].count),
                        .base_of_render = none_for(arena, input->side[RENDER].count),
                        .child_taken = arena_array(arena, input->side[CHILD].count + 1, 1),
                        .err = err};
    pair_declared(&p);
    pair_by_source(&p);
    pair_by_path(&p);
    pair_by_new_path(&p);
    if (pair_by_content(&p) < 0)
        return -1;
    make_units(out, count, &p);
    return 0;
}

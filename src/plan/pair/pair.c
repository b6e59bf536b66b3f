/* Pairs the files of the base, the child and the new render that are one and the same. */
#include "plan/pair.h"

#include "base/arena.h"
#include "base/budget.h"
#include "plan/case_names.h"
#include "plan/pair/moved_files.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

struct pairing {
    struct arena *arena;
    struct store *store;
    const struct plan_input *input;
    const bool *unfollowed;
    size_t *render_of, *child_of; /* per base file, or NONE */
    size_t *base_of_render;       /* per render file, or NONE */
    bool *child_taken;            /* per child file */
    const char **looks_like;      /* per base file, see struct child_moves */
    struct err *err;
};

static size_t index_in(const struct plan_list *list, const struct plan_file *file)
{
    return file ? (size_t)(file - list->files) : NONE;
}

static size_t index_of(const struct plan_list *list, const char *path)
{
    return index_in(list, plan_list_find(list, path));
}

static bool may_follow(const struct pairing *p, size_t base)
{
    return !p->unfollowed || !p->unfollowed[base];
}

static void join_render(struct pairing *p, size_t base, size_t render)
{
    if (base == NONE || render == NONE || p->render_of[base] != NONE ||
        p->base_of_render[render] != NONE)
        return;
    p->render_of[base] = render;
    p->base_of_render[render] = base;
}

/* True where the template still has a file of the old name, and no other file took that name. */
static bool is_contradicted(const struct pairing *p, const char *old)
{
    if (index_of(&p->input->side[RENDER], old) == NONE)
        return false;
    for (size_t i = 0; i < p->input->renames.count; i++)
        if (strcmp(p->input->renames.new[i], old) == 0)
            return false;
    return true;
}

static void pair_declared(struct pairing *p)
{
    for (size_t i = 0; i < p->input->renames.count; i++) {
        const char *old = p->input->renames.old[i];
        size_t base = index_of(&p->input->side[BASE], old);
        if (base != NONE && may_follow(p, base) && !is_contradicted(p, old))
            join_render(p, base, index_of(&p->input->side[RENDER], p->input->renames.new[i]));
    }
}

/* The length of the `{{ 'NAME' if ... }}` at the start of `text`, and its NAME; else 0. */
static size_t conditional_name(struct span *name, const char *text)
{
    if (!str_starts(text, "{{"))
        return 0;
    const char *quote = text + 2 + strspn(text + 2, " ");
    if (*quote != '\'' && *quote != '"')
        return 0;
    const char *start = quote + 1, *end = strchr(start, *quote);
    if (!end || !str_starts(end + 1, " if "))
        return 0;
    *name = span_of(start, (size_t)(end - start));
    const char *closed = strstr(end, "}}"), *otherwise = strstr(end, " else ");
    return closed && (!otherwise || closed < otherwise) ? (size_t)(closed + 2 - text) : 0;
}

/* The length of the next piece of a source, and the text for it in the plain form. */
static size_t plain_piece(struct span *plain, const char *source)
{
    size_t len = conditional_name(plain, source), blanks = strspn(source, " ");
    if (len)
        return len;
    if (str_starts(source, "{{")) {
        *plain = span_of(source, 2);
        return 2 + strspn(source + 2, " ");
    }
    bool closes = blanks && str_starts(source + blanks, "}}");
    *plain = span_of(source, closes ? 0 : 1);
    return closes ? blanks : 1;
}

/*
 * A source without the conditions in its names, and `{{ name }}` without its blanks. A template may
 * use `when` instead, or spell a name differently, from one version to the next: it still has the
 * same files.
 */
static const char *plain_source(struct arena *arena, const char *source)
{
    if (!strstr(source, "{{"))
        return source;
    char *plain = arena_strdup(arena, source), *to = plain;
    while (*source) {
        struct span piece;
        source += plain_piece(&piece, source);
        memcpy(to, piece.ptr, piece.len);
        to += piece.len;
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
    const struct plan_list *render = &p->input->side[RENDER];
    for (size_t i = 0, child_at = 0, render_at = 0; i < base->count; i++) {
        const char *path = base->files[i].path;
        join_render(p, i, index_in(render, plan_list_next(render, &render_at, path)));
        size_t at = index_in(child, plan_list_next(child, &child_at, path));
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

/* Gone from its old place, and the child has a file where the template moved it: pairs the two. */
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

/* Two names that differ by case alone are one file, on either side, without a declared rename. */
static void pair_render_without_case(struct pairing *p)
{
    ARENA_SCRATCH(scratch);
    const struct plan_list *base = &p->input->side[BASE], *render = &p->input->side[RENDER];
    bool *asks = arena_array(&scratch, render->count + 1, sizeof(*asks));
    for (size_t i = 0; i < render->count; i++)
        asks[i] = p->base_of_render[i] == NONE;
    const size_t *bases = names_without_case(&scratch, render, asks, base);
    for (size_t i = 0; i < render->count; i++)
        if (bases[i] != NONE && may_follow(p, bases[i]))
            join_render(p, bases[i], i);
}

static void pair_child_without_case(struct pairing *p)
{
    ARENA_SCRATCH(scratch);
    const struct plan_list *base = &p->input->side[BASE], *child = &p->input->side[CHILD];
    bool *asks = arena_array(&scratch, base->count + 1, sizeof(*asks));
    for (size_t i = 0; i < base->count; i++)
        asks[i] = p->child_of[i] == NONE && may_follow(p, i);
    const size_t *found = names_without_case(&scratch, base, asks, child);
    for (size_t i = 0; i < base->count; i++)
        if (found[i] != NONE && !p->child_taken[found[i]] && !child->files[found[i]].nested)
            join_child(p, i, found[i]);
}

static int pair_by_content(struct pairing *p)
{
    ARENA_SCRATCH(scratch);
    const struct plan_list *base = &p->input->side[BASE], *child = &p->input->side[CHILD];
    bool *gone = arena_array(&scratch, base->count + 1, sizeof(*gone));
    bool *own = arena_array(&scratch, child->count + 1, sizeof(*own));
    struct child_moves moves;
    for (size_t i = 0; i < base->count; i++)
        gone[i] = p->child_of[i] == NONE && may_follow(p, i);
    for (size_t i = 0; i < child->count; i++)
        own[i] = !p->child_taken[i] && !child->files[i].nested;
    if (moved_files_find(&moves, p->arena, p->store, p->input, gone, own, p->err) < 0)
        return -1;
    for (size_t i = 0; i < base->count; i++)
        if (moves.child_of[i] != NONE)
            join_child(p, i, moves.child_of[i]);
    p->looks_like = moves.looks_like;
    return 0;
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

/*
 * Pairs a new file of the template with the child's file of that name, or of that name but for
 * case, unless that is another file.
 */
static void add_new(struct file_triple *triples, size_t *count, const struct pairing *p)
{
    ARENA_SCRATCH(scratch);
    const struct plan_list *child = &p->input->side[CHILD], *render = &p->input->side[RENDER];
    bool *asks = arena_array(&scratch, render->count + 1, sizeof(*asks));
    for (size_t i = 0; i < render->count; i++)
        asks[i] = p->base_of_render[i] == NONE;
    const size_t *found = names_without_case(&scratch, render, asks, child);
    for (size_t i = 0; i < render->count; i++) {
        if (!asks[i])
            continue;
        size_t same = index_of(child, render->files[i].path), alike = found[i];
        if (same == NONE && alike != NONE && !child->files[alike].nested)
            same = alike;
        if (same != NONE && p->child_taken[same])
            same = NONE;
        triples[(*count)++] =
            (struct file_triple){{NULL, file_at(child, same), &render->files[i]}, NULL};
    }
}

static void make_triples(struct file_triple **out, size_t *count, const struct pairing *p)
{
    const struct plan_list *base = &p->input->side[BASE], *render = &p->input->side[RENDER];
    struct file_triple *triples =
        arena_array(p->arena, base->count + render->count + 1, sizeof(*triples));
    *count = 0;
    for (size_t i = 0; i < base->count; i++)
        triples[(*count)++] =
            (struct file_triple){{&base->files[i], file_at(&p->input->side[CHILD], p->child_of[i]),
                                  file_at(render, p->render_of[i])},
                                 p->child_of[i] == NONE ? p->looks_like[i] : NULL};
    add_new(triples, count, p);
    *out = triples;
}

bool triple_is_yours(const struct file_triple *triple, const struct plan_input *input)
{
    for (size_t i = 0; i < input->yours.count; i++)
        for (int side = BASE; side < SIDES; side++)
            if (triple->side[side] && budget_glob(input->yours.items[i], triple->side[side]->path))
                return true;
    return false;
}

const struct plan_file *triple_rule(const struct file_triple *triple,
                                    const struct plan_input *input)
{
    if (triple->side[RENDER])
        return triple->side[RENDER];
    return input->base_has_rules ? triple->side[BASE] : NULL;
}

int pair_files(struct file_triple **out, size_t *count, struct arena *arena, struct store *store,
               const struct plan_input *input, const bool *unfollowed, struct err *err)
{
    struct pairing p = {.arena = arena,
                        .store = store,
                        .input = input,
                        .unfollowed = unfollowed,
                        .render_of = none_for(arena, input->side[BASE].count),
                        .child_of = none_for(arena, input->side[BASE].count),
                        .base_of_render = none_for(arena, input->side[RENDER].count),
                        .child_taken = arena_array(arena, input->side[CHILD].count + 1, 1),
                        .err = err};
    pair_declared(&p);
    pair_by_source(&p);
    pair_by_path(&p);
    pair_render_without_case(&p);
    pair_child_without_case(&p);
    pair_by_new_path(&p);
    if (pair_by_content(&p) < 0)
        return -1;
    make_triples(out, count, &p);
    return 0;
}

/* Finds every file's place after the update, and the files that collide there. */
#include "plan/decide/destinations.h"

#include "base/arena.h"
#include "base/str.h"
#include "plan/pair.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first destination at or after `path`. */
static size_t lower_bound(const struct placement *p, const char *path)
{
    return str_lower_bound(path, p->destinations, p->destination_count, sizeof(*p->destinations));
}

bool is_destination(const struct placement *p, const char *path)
{
    size_t at = lower_bound(p, path);
    return at < p->destination_count && strcmp(p->destinations[at].path, path) == 0;
}

bool stays_in_place(const struct placement *p, size_t triple)
{
    const struct plan_file *child = p->triples[triple].side[CHILD];
    return child && p->outcomes[triple].path && strcmp(child->path, p->outcomes[triple].path) == 0;
}

void list_destinations(struct placement *p)
{
    bool sorted = true;
    p->destination_count = 0;
    memset(p->vacated, 0, child_list(p)->count);
    for (size_t i = 0; i < p->triple_count; i++) {
        const struct plan_file *child = p->triples[i].side[CHILD];
        if (child && !stays_in_place(p, i))
            p->vacated[child - child_list(p)->files] = true;
        if (!p->outcomes[i].path)
            continue;
        struct destination *next = &p->destinations[p->destination_count++];
        *next = (struct destination){p->outcomes[i].path, i};
        sorted = sorted && (next == p->destinations || strcmp(next[-1].path, next->path) <= 0);
    }
    if (!sorted)
        qsort(p->destinations, p->destination_count, sizeof(*p->destinations), str_compare_first);
}

const struct plan_file *child_at(const struct placement *p, const char *path, size_t triple)
{
    const struct plan_file *own = p->triples[triple].side[CHILD];
    return own && strcmp(own->path, path) == 0 ? own : plan_list_find(child_list(p), path);
}

/* The child's file at `path`, if it stays there; else NULL. */
static const struct plan_file *staying_file(const struct placement *p, const char *path)
{
    const struct plan_file *file = plan_list_find(child_list(p), path);
    return file && !p->vacated[file - child_list(p)->files] ? file : NULL;
}

const struct plan_file *first_staying(const struct placement *p, const char *folder)
{
    const struct plan_list *list = child_list(p);
    for (size_t at = plan_list_lower_bound(list, folder);
         at < list->count && str_starts(list->files[at].path, folder); at++)
        if (!p->vacated[at])
            return &list->files[at];
    return NULL;
}

struct plan_edit *plan_add_edit(struct plan *plan, struct arena *arena, const char *path,
                                const struct tree_entry *old)
{
    struct plan_edit *edit = &arena_push(arena, plan->edits, plan->edit_count);
    *edit = (struct plan_edit){.path = path, .old = *old};
    return edit;
}

void plan_add_path(struct plan *plan, const struct plan_path *path)
{
    plan->paths[plan->path_count++] = *path;
    if (path->state == PATH_CONFLICT)
        plan->conflict_count++;
}

/* ---------------------------------------------------------------- files against folders */

/* True where a file will lie below the folder `path`. */
static bool is_folder(const struct placement *p, const char *path)
{
    const char *folder = arena_printf(p->arena, "%s/", path);
    size_t at = lower_bound(p, folder);
    return (at < p->destination_count && str_starts(p->destinations[at].path, folder)) ||
           first_staying(p, folder);
}

/* The child's file that stays where `path` needs a folder; or NULL. */
static const struct plan_file *file_on_the_way(const struct placement *p, const char *path)
{
    const struct plan_file *file = NULL;
    for (const char *slash = strchr(path, '/'); slash && !file; slash = strchr(slash + 1, '/'))
        file = staying_file(p, arena_memdup(p->arena, path, (size_t)(slash - path)));
    return file;
}

/* Index of the triple that has the child's file; `triple_count` for the child's own. */
static size_t triple_of(const struct placement *p, const struct plan_file *file)
{
    size_t triple = 0;
    while (triple < p->triple_count && p->triples[triple].side[CHILD] != file)
        triple++;
    return triple;
}

/* True for a link, a submodule, a file of a nested child, and a file that updates leave alone. */
static bool is_immovable(const struct placement *p, const struct plan_file *file)
{
    const struct file_triple own = {.side = {NULL, file, NULL}};
    size_t at = triple_of(p, file);
    const struct file_triple *triple = at < p->triple_count ? &p->triples[at] : &own;
    const struct plan_file *rule = triple_rule(triple, p->input);
    return !tree_entry_is_file(&file->entry) || file->nested || triple_is_yours(triple, p->input) ||
           (rule && file_policies[rule->policy].leaves_alone);
}

/* True where the triple's file goes to a path that it does not have in the child. */
static bool is_new_there(const struct placement *p, size_t triple)
{
    return p->outcomes[triple].path && !stays_in_place(p, triple);
}

bool destination_is_blocked(const struct placement *p, size_t triple)
{
    if (!is_new_there(p, triple))
        return false;
    const char *path = p->outcomes[triple].path;
    const struct plan_file *file = file_on_the_way(p, path);
    return is_folder(p, path) || (file && is_immovable(p, file));
}

/* The name beside `path` to which a file is moved aside. */
static const char *side_name(const struct placement *p, const char *path)
{
    const char *name = arena_printf(p->arena, "%s~HEAD", path);
    for (int i = 1; plan_list_find(child_list(p), name) || is_destination(p, name); i++)
        name = arena_printf(p->arena, "%s~HEAD_%d", path, i);
    return name;
}

static void edit_aside(struct plan *out, struct placement *p, const struct plan_file *file,
                       const struct tree_entry *base)
{
    const char *name = side_name(p, file->path);
    (void)plan_add_edit(out, p->arena, file->path, &file->entry);
    struct plan_edit *edit = plan_add_edit(out, p->arena, name, &(struct tree_entry){0});
    edit->disk = file->entry;
    edit->conflict = true;
    edit->stages[BASE] = *base;
    edit->stages[CHILD] = file->entry;
    p->vacated[file - child_list(p)->files] = true;
    words_printf(&out->warnings, p->arena,
                 "the template has a folder where your '%s' is: yours is now '%s'", file->path,
                 name);
}

static void move_aside(struct plan *out, struct placement *p, const struct plan_file *file)
{
    size_t triple = triple_of(p, file);
    struct outcome *outcome = triple < p->triple_count ? &p->outcomes[triple] : NULL;
    const struct plan_file *base = outcome ? p->triples[triple].side[BASE] : NULL;
    edit_aside(out, p, file, base ? &base->entry : &(struct tree_entry){0});
    if (!outcome) {
        plan_add_path(out, &(struct plan_path){.path = file->path,
                                               .state = PATH_CONFLICT,
                                               .note = "the template has a folder there"});
        return;
    }
    outcome->reported = true;
    outcome->state = PATH_CONFLICT;
    outcome->note = "the template has a folder there";
    outcome->conflict = false; /* its edits are made already */
    outcome->disk = file->entry;
}

/* The triple must be a new file of the template: a blocked rename leaves its file where it was. */
static void block(struct placement *p, size_t triple, const char *note)
{
    struct outcome *outcome = &p->outcomes[triple];
    outcome->conflict = true;
    outcome->state = PATH_CONFLICT;
    outcome->note = note;
    outcome->disk = (struct tree_entry){0};
    memset(outcome->stages, 0, sizeof(outcome->stages));
    outcome->stages[RENDER] = p->triples[triple].side[RENDER]->entry;
}

void clear_destinations(struct plan *out, struct placement *p)
{
    for (size_t i = 0; i < p->triple_count; i++) {
        if (!is_new_there(p, i))
            continue;
        const char *path = p->outcomes[i].path;
        const struct plan_file *file = file_on_the_way(p, path);
        if (file && is_immovable(p, file)) {
            block(p, i, arena_printf(p->arena, "your '%s' is there", file->path));
            continue;
        }
        if (file)
            move_aside(out, p, file);
        if (is_folder(p, path))
            block(p, i, "you have a folder there");
    }
}

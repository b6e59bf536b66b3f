/* Where every file comes to lie, and what that makes of the plan. */
#ifndef TMPLGEN_DESTINATIONS_H
#define TMPLGEN_DESTINATIONS_H

#include "plan/plan_input.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct outcome;
struct plan;
struct plan_path;
struct store;
struct file_triple;

/* A file at its place after the update, by path. */
struct destination {
    const char *path;
    size_t unit;
};

struct planner {
    struct plan *out;
    struct arena *arena;
    struct store *store;
    const struct plan_input *input;
    struct err *err;
    struct file_triple *units;
    size_t unit_count;
    struct outcome *outcomes;   /* per unit */
    struct destination *placed; /* sorted by path */
    size_t placed_count;
    bool *leaves; /* per child file: it does not stay where it is */
    bool *fixed;  /* per base file: renames are not followed */
};

static inline const struct plan_list *child_list(const struct planner *p)
{
    return &p->input->side[CHILD];
}

/* From the outcomes: `placed` and `leaves`. */
void place_all(struct planner *p);
/* Index of the first at or behind `path`. */
size_t placed_lower_bound(const struct planner *p, const char *path);
bool is_placed(const struct planner *p, const char *path);
/* The unit's file is the child's, at its old path. */
bool stays_in_place(const struct planner *p, size_t unit);
/* The unit's file goes where the child does not have it. */
bool newly_placed(const struct planner *p, size_t unit);

struct plan_edit *plan_add_edit(struct planner *p, const char *path, const struct tree_entry *old);
void plan_add_path(struct planner *p, const struct plan_path *path);
void plan_warn(struct planner *p, const char *text);

#endif

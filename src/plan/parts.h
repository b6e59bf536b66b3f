/* The parts of plan.c that have files of their own. Nobody else includes this. */
#ifndef TMPLGEN_PLAN_PARTS_H
#define TMPLGEN_PLAN_PARTS_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct outcome;
struct unit;

/* A file at its place after the update, by path. */
struct placed {
    const char *path;
    size_t unit;
};

struct planner {
    struct plan *out;
    struct arena *arena;
    struct store *store;
    const struct plan_input *input;
    struct err *err;
    struct unit *units;
    size_t unit_count;
    struct outcome *outcomes; /* per unit */
    struct placed *placed;    /* sorted by path */
    size_t placed_count;
    bool *leaves; /* per child file: it does not stay where it is */
    bool *fixed;  /* per base file: renames are not followed */
    size_t edit_capacity;
};

static inline const struct plan_list *child_list(const struct planner *p)
{
    return &p->input->side[CHILD];
}

/* ---------------------------------------------------------------- plan.c */

/* Index of the first at or behind `path`. */
size_t placed_lower_bound(const struct planner *p, const char *path);
bool is_placed(const struct planner *p, const char *path);
/* The unit's file goes where the child does not have it. */
bool newly_placed(const struct planner *p, size_t unit);

struct plan_edit *plan_add_edit(struct planner *p, const char *path, const struct leaf *old);
void plan_add_path(struct planner *p, const struct plan_path *path);
void plan_warn(struct planner *p, const char *text);

/* ---------------------------------------------------------------- plan_ways.c */

/* The unit's file goes where the child has a folder, or below a file that stays. */
bool ways_blocked(const struct planner *p, size_t unit);
/*
 * Files against folders. A file of the child that stands in the way of a folder moves aside, where
 * it may be moved; what blocks a new file of the template leaves that at stage 3 alone.
 */
void ways_clear(struct planner *p);

#endif

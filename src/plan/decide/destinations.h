/* The outcome for each file, and its place afterwards. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct file_triple;
struct plan;
struct plan_path;
struct store;

struct outcome {
    bool reported;
    enum path_state state;
    const char *path; /* the file's path afterwards; NULL: there is no file */
    const char *from_path;
    struct tree_entry disk; /* its content there */
    bool conflict;
    struct tree_entry stages[SIDES];
    bool merged_text; /* `disk` has lines of both sides */
    const char *note; /* for people, or NULL */
};

/* Decides one triple. Puts merged content into the store. */
TG_CHECKED int decide_file(struct outcome *out, struct arena *arena, struct store *store,
                           const struct plan_input *input, const struct file_triple *triple,
                           struct err *err);

struct destination {
    const char *path;
    size_t triple;
};

/* The outcomes of all files, and what they mean for the child's paths. */
struct placement {
    struct arena *arena;
    const struct plan_input *input;
    struct file_triple *triples;
    size_t triple_count;
    struct outcome *outcomes;         /* one for each triple */
    struct destination *destinations; /* sorted by path */
    size_t destination_count;
    bool *vacated; /* one for each file of the child: true where it does not stay at its path */
};

static inline const struct plan_list *child_list(const struct placement *p)
{
    return &p->input->side[CHILD];
}

/* Fills in `destinations` and `vacated` from the outcomes. */
void list_destinations(struct placement *p);
bool is_destination(const struct placement *p, const char *path);
/* True where the triple's file stays at its path in the child. */
bool stays_in_place(const struct placement *p, size_t triple);
/* The child's file at `path`, which is mostly that of the triple; NULL: there is none. */
const struct plan_file *child_at(const struct placement *p, const char *path, size_t triple);
/* The first file of the child that stays below `folder`, which ends in '/'; or NULL. */
const struct plan_file *first_staying(const struct placement *p, const char *folder);

/* True where the triple's file goes to a path that is a folder, or below an immovable file. */
bool destination_is_blocked(const struct placement *p, size_t triple);
/*
 * Resolves files against folders. A file of the child in the way of a folder moves aside, where it
 * may be moved. Else the template's new file becomes a conflict, at stage 3 alone.
 */
void clear_destinations(struct plan *out, struct placement *p);

struct plan_edit *plan_add_edit(struct plan *plan, struct arena *arena, const char *path,
                                const struct tree_entry *old);
void plan_add_path(struct plan *plan, const struct plan_path *path);

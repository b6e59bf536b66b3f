/* A child as it stands: its repository, what HEAD has of it, what it says of itself. */
#pragma once

#include "base/err.h"
#include "child/provenance.h"
#include "git/repo.h"
#include "git/tree.h"
#include "plan/plan.h"

#include <stdbool.h>

struct index;

/* Filled step by step. */
struct child {
    struct arena *arena;
    struct repo repo;
    struct provenance record;
    struct index *index;
    struct tree_files head; /* HEAD's tree, all of it */
    struct plan_list files; /* the child's part of it, without its folder and its record */
};

/* The repository around `path`, and the child in it: exit 3, "no-record", where there is none. */
TG_CHECKED int child_open(struct child *out, struct arena *arena, const char *path,
                          struct err *err);
/*
 * The repository around `path`, for a folder that may become a child: `prefix` is that of the child
 * around it, of one that an interrupted run was about to make, or else of the folder itself.
 */
TG_CHECKED int child_open_any(struct child *out, struct arena *arena, const char *path,
                              struct err *err);
/* Whether `prefix` has a record, on disk or in HEAD. */
TG_CHECKED int child_has_record(bool *out, const struct child *child, struct err *err);
/* The folder that was asked for, as a prefix. */
const char *child_folder(const struct child *child);
/* HEAD's files, and the index. */
TG_CHECKED int child_read(struct child *child, struct err *err);
/*
 * All that git tracks of the child, committed or only staged, as it lies on disk: sorted by path,
 * without the record and what is not there. Content that is not in the index is put into the store.
 * After child_read; lives as long as the child.
 */
TG_CHECKED int child_list_tracked(struct plan_list *out, struct child *child, struct err *err);
/*
 * What lies below a folder with a record of its own is that child's, not this one's: marks it
 * `nested`. Sorted by path.
 */
void child_mark_nested(struct plan_file *files, size_t count, struct arena *arena);
/*
 * An error that a missing object of a partial clone caused becomes exit 3, with the command that
 * fetches it. Returns -1.
 */
int child_explain(const struct child *child, struct err *err);
void child_close(struct child *child);

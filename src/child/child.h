/* A child: its repository, HEAD's files, the index and the provenance. */
#pragma once

#include "base/err.h"
#include "child/provenance.h"
#include "git/repo.h"
#include "git/tree.h"
#include "plan/plan.h"

#include <stdbool.h>

struct index;

/* The functions below fill it in step by step. */
struct child {
    struct arena *arena;
    struct repo repo;
    struct provenance record;
    struct index *index;
    struct tree_files head; /* HEAD's tree, all of it */
    struct plan_list files; /* the child's part of `head`, without its folder and its record */
};

/* Opens the repository around `path`, and the child in it: exit 3, "no-record", where none is. */
TG_CHECKED int child_open(struct child *out, struct arena *arena, const char *path,
                          struct err *err);
/*
 * Opens the repository around `path`, for a folder that may become a child. `prefix` is that of the
 * child around it, of a child that an interrupted run began to make, or else of the folder.
 */
TG_CHECKED int child_open_any(struct child *out, struct arena *arena, const char *path,
                              struct err *err);
/* True where `prefix` has a record, on disk or in HEAD. */
TG_CHECKED int child_has_record(bool *out, const struct child *child, struct err *err);
/* The folder that the user asked for, as a prefix. */
const char *child_folder(const struct child *child);
/* Reads HEAD's files and the index. */
TG_CHECKED int child_read(struct child *child, struct err *err);
/*
 * Lists all files that git tracks of the child, committed or only staged, as on disk: sorted by
 * path, without the record and missing files. Puts content that the index lacks into the store.
 * Needs child_read first; lives as long as the child.
 */
TG_CHECKED int child_list_tracked(struct plan_list *out, struct child *child, struct err *err);
/*
 * Marks files below a folder with a record of its own as `nested`: they belong to that child, not
 * to this one. The files are sorted by path.
 */
void child_mark_nested(struct plan_file *files, size_t count, struct arena *arena);
/*
 * Turns an error from a missing object of a partial clone into exit 3, with the command that
 * fetches the object. Returns -1.
 */
int child_explain(const struct child *child, struct err *err);
void child_close(struct child *child);

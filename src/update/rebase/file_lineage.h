/* Maps files of a commit to the template's files. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"
#include "plan/plan.h"

#include <stddef.h>

struct arena;
struct data;
struct plan;
struct repo;

/* A file of the template, under its name in some commit. */
struct lineage_entry {
    const char *path;
    const char *source; /* the file's template file */
    enum file_policy policy;
    enum file_merge merge;
};

/* Sorted by path. */
struct file_lineage {
    struct lineage_entry *files;
    size_t count;
};

/* Lists a tree's files except the record, with the template's rules where the lineage has them. */
TG_CHECKED int lineage_list(struct plan_list *out, struct arena *arena, const struct repo *repo,
                            const struct oid *tree, const struct file_lineage *lineage,
                            struct err *err);

/* All files of a render. */
void lineage_render(struct file_lineage *out, struct arena *arena, const struct plan_list *render);
/* The files of a plan, under the child's names or, with `afterwards`, under their new names. */
void lineage_plan(struct file_lineage *out, struct arena *arena, const struct plan *plan,
                  bool afterwards);

/* Copies `now` into the arena, unless the two are equal. */
void lineage_keep(struct file_lineage *kept, struct arena *arena, const struct file_lineage *now);

/* Stores the lineage for a journal, and reads it back; skips entries that are damaged. */
struct data *lineage_data(struct arena *arena, const struct file_lineage *lineage);
void lineage_parse(struct file_lineage *out, struct arena *arena, const struct data *data);

/* Which files of a child, as it went from commit to commit, are which of the template's. */
#ifndef TMPLGEN_FILE_LINEAGE_H
#define TMPLGEN_FILE_LINEAGE_H

#include "base/err.h"
#include "git/tree_entry.h"
#include "plan/plan_input.h"

#include <stddef.h>

struct arena;
struct data;
struct plan;
struct repo;

/* A file that is the template's, by the name that it has in some commit. */
struct lineage_entry {
    const char *path;
    const char *source; /* file of the template */
    enum file_policy policy;
    enum file_merge merge;
};

/* Sorted by path. */
struct file_lineage {
    struct lineage_entry *files;
    size_t count;
};

/* All files of a tree but the record, with what the trace knows of them. */
TG_CHECKED int lineage_list(struct plan_list *out, struct arena *arena, const struct repo *repo,
                            const struct oid *tree, const struct file_lineage *trace,
                            struct err *err);

/* Of a render: all its files. */
void lineage_render(struct file_lineage *out, struct arena *arena, const struct plan_list *render);
/* Of a plan: by the child's names, and by those that they have afterwards. */
void lineage_child(struct file_lineage *out, struct arena *arena, const struct plan *plan);
void lineage_result(struct file_lineage *out, struct arena *arena, const struct plan *plan);

/* In an arena of its own, a copy where it is another than before. */
void lineage_keep(struct file_lineage *kept, struct arena *arena, const struct file_lineage *now);

/* For a journal, and back; what is damaged there is left out. */
struct data *lineage_data(struct arena *arena, const struct file_lineage *trace);
void lineage_parse(struct file_lineage *out, struct arena *arena, const struct data *data);

#endif

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
struct traced {
    const char *path;
    const char *source; /* file of the template */
    enum file_policy policy;
    enum file_merge merge;
};

/* Sorted by path. */
struct trace {
    struct traced *files;
    size_t count;
};

/* All files of a tree but the record, with what the trace knows of them. */
TG_CHECKED int trace_list(struct plan_list *out, struct arena *arena, const struct repo *repo,
                          const struct oid *tree, const struct trace *trace, struct err *err);

/* Of a render: all its files. */
void trace_render(struct trace *out, struct arena *arena, const struct plan_list *render);
/* Of a plan: by the child's names, and by those that they have afterwards. */
void trace_child(struct trace *out, struct arena *arena, const struct plan *plan);
void trace_result(struct trace *out, struct arena *arena, const struct plan *plan);

/* In an arena of its own, a copy where it is another than before. */
void trace_keep(struct trace *kept, struct arena *arena, const struct trace *now);

/* For a journal, and back; what is damaged there is left out. */
struct data *trace_data(struct arena *arena, const struct trace *trace);
void trace_parse(struct trace *out, struct arena *arena, const struct data *data);

#endif

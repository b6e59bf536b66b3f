/* What an update does to each path: edits, and a line of the report. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

const char *const path_state_names[PATH_STATES] = {
    [PATH_UPDATED] = "updated",           [PATH_MERGED] = "merged",
    [PATH_CONFLICT] = "conflict",         [PATH_KEPT_YOURS] = "kept-yours",
    [PATH_KEPT_DELETED] = "kept-deleted", [PATH_DELETED] = "deleted",
    [PATH_RENAMED] = "renamed",           [PATH_ADDED] = "added",
    [PATH_ADOPTED] = "adopted",
};

static int by_edit_path(const void *a, const void *b)
{
    return strcmp(((const struct plan_edit *)a)->path, ((const struct plan_edit *)b)->path);
}

void plan_sort_edits(struct plan_edit *edits, size_t count)
{
    if (count)
        qsort(edits, count, sizeof(*edits), by_edit_path);
}

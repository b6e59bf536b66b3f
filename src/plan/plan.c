/* What an update does to each path: edits, and a line of the report. */
#include "plan/plan.h"

const char *const path_state_names[PATH_STATES] = {
    [PATH_UPDATED] = "updated",           [PATH_MERGED] = "merged",
    [PATH_CONFLICT] = "conflict",         [PATH_KEPT_YOURS] = "kept-yours",
    [PATH_KEPT_DELETED] = "kept-deleted", [PATH_DELETED] = "deleted",
    [PATH_RENAMED] = "renamed",           [PATH_ADDED] = "added",
    [PATH_ADOPTED] = "adopted",
};

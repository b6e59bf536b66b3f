/* Files where the template has folders, and folders where it has files. */
#ifndef TMPLGEN_PATH_CONFLICTS_H
#define TMPLGEN_PATH_CONFLICTS_H

#include <stdbool.h>
#include <stddef.h>

struct planner;

/* The unit's file goes where the child has a folder, or below a file that stays. */
bool path_conflicts_blocked(const struct planner *p, size_t unit);
/*
 * Files against folders. A file of the child that stands in the way of a folder moves aside, where
 * it may be moved; what blocks a new file of the template leaves that at stage 3 alone.
 */
void path_conflicts_clear(struct planner *p);

#endif

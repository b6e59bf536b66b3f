/* All that git tracks of a child, committed or only staged, as it lies on disk. */
#ifndef TMPLGEN_TRACKED_H
#define TMPLGEN_TRACKED_H

#include "base/err.h"

struct plan_list;
struct child;

/*
 * Sorted by path, without the record and what is not there. Content that is not in the index is put
 * into the store. After child_read; lives as long as the child.
 */
TG_CHECKED int child_list_tracked(struct plan_list *out, struct child *child, struct err *err);

#endif

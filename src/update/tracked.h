/* All that git tracks of a child, committed or only staged, as it lies on disk. */
#ifndef TMPLGEN_UPDATE_TRACKED_H
#define TMPLGEN_UPDATE_TRACKED_H

#include "base/err.h"

struct plan_list;
struct session;

/*
 * Sorted by path, without the record and what is not there. Content that is not in the index is put
 * into the store. After session_read; lives as long as the session.
 */
TG_CHECKED int tracked_list(struct plan_list *out, struct session *session, struct err *err);

#endif

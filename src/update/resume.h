/* What was begun is brought to an end: after an interruption, a conflict, a staged result. */
#ifndef TMPLGEN_UPDATE_RESUME_H
#define TMPLGEN_UPDATE_RESUME_H

#include "base/err.h"

struct apply;
struct session;
struct update_outcome;

/* Finishes a run that was interrupted on its way forward: the exit code of its result, or -1. */
TG_CHECKED int resume_forward(struct update_outcome *out, struct session *session,
                              struct apply *apply, struct err *err);

#endif

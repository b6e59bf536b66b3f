/* Before the journal: everything that an update needs space for is written and made durable. */
#ifndef TMPLGEN_PREPARE_H
#define TMPLGEN_PREPARE_H

#include "base/err.h"

struct apply;
struct journal;
struct work;

/* Opens `work`. Fills in `run` and `files` of the journal, but the level. */
TG_CHECKED int prepare_all(struct work *work, const struct apply *a, struct journal *j,
                           struct err *err);

#endif

/* Before the journal: everything that an update needs space for is written and made durable. */
#ifndef TMPLGEN_PREPARE_H
#define TMPLGEN_PREPARE_H

#include "base/err.h"

struct apply;
struct journal;

/* Fills in what the journal says of the repository, the stage and the missing folders. */
TG_CHECKED int prepare_all(struct apply *a, struct journal *j, struct err *err);

#endif

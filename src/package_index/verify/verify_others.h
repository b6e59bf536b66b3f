/* A row against what it says of other packages. */
#ifndef TMPLGEN_VERIFY_OTHERS_H
#define TMPLGEN_VERIFY_OTHERS_H

#include "package_index/package_index.h"

#include <stddef.h>

struct verification;

/*
 * Each companion is there and, where it says something of the release, agrees. INDEX_UNKNOWN: one
 * is not known yet, and is wanted now; else INDEX_FAILED: one could not be asked for; else
 * INDEX_THERE.
 */
enum index_state verify_companions(const struct verification *c, struct package_index *index);
/*
 * `requires` and `pins` of the row against the release's metadata; where that is silent, against
 * what the other package's releases require. `*wanted` counts what is not known yet, as in
 * verify.h.
 */
void verify_requires(const struct verification *c, struct package_index *index, size_t *wanted);

#endif

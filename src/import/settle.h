/* The manifest of a type in the making, and whether it works. */
#ifndef TMPLGEN_IMPORT_SETTLE_H
#define TMPLGEN_IMPORT_SETTLE_H

#include "base/err.h"

struct draft;

/*
 * Adds template.yml to the draft's files. Questions that nothing reads are left out, and told; the
 * type is then rendered with its defaults in memory, and a file that cannot be is put aside.
 */
TG_CHECKED int settle_type(struct draft *draft, struct err *err);

#endif

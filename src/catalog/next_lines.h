/* What `new` says is to be done with a child that it has made. */
#ifndef TMPLGEN_NEXT_LINES_H
#define TMPLGEN_NEXT_LINES_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct data;
struct manifest;

/*
 * The manifest's `next`, each rendered with `context`; an entry that renders to nothing is left
 * out. Not masked. Exit 2 at the entry.
 */
TG_CHECKED int next_lines(struct words *out, struct arena *arena, const struct manifest *manifest,
                          const struct data *context, struct err *err);

#endif
